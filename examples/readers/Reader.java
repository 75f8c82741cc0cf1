// java Reader.java folder/offer-creation-request/invalid    (create the files first: brokerfuzz export folder --format files)
import java.nio.file.*;
import java.util.HexFormat;

class Reader {
    public static void main(String[] args) throws Exception {
        try (var files = Files.newDirectoryStream(Path.of(args[0]))) {
            for (Path file : files) {
                byte[] body = Files.readAllBytes(file); // give these bytes to your system
                System.out.println(file.getFileName() + " " + HexFormat.of().formatHex(body));
            }
        }
    }
}
