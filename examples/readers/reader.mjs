// node reader.mjs corpus.ndjson    (create the corpus first: brokerfuzz export corpus.ndjson --base64)
import { readFileSync } from "node:fs";

for (const line of readFileSync(process.argv[2], "utf8").trimEnd().split("\n")) {
  const { verdict, id, raw } = JSON.parse(line);
  const body = Buffer.from(raw, "base64"); // give these bytes to your system
  console.log(verdict, id, body.toString("hex"));
}
