// rustc reader.rs && ./reader folder/offer-creation-request/invalid    (create the files first: brokerfuzz export folder --format files)
use std::{env, fs, io};

fn main() -> io::Result<()> {
    for entry in fs::read_dir(env::args().nth(1).unwrap())? {
        let entry = entry?;
        let body = fs::read(entry.path())?; // give these bytes to your system
        let hex: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{} {}", entry.file_name().to_string_lossy(), hex);
    }
    Ok(())
}
