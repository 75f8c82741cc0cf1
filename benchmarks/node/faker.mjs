// Reads a schema on standard input, makes so many messages of it, and prints how long that took, the start of Node apart.
import { readFileSync } from "node:fs";
import { generateSync } from "json-schema-faker";

const { schema, count } = JSON.parse(readFileSync(0, "utf8"));
const started = performance.now();
let bytes = 0;
for (let i = 0; i < count; i += 1) bytes += JSON.stringify(generateSync(schema)).length;
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, bytes }));
