// Reads a schema and a count from standard input, and generates this number of messages. Prints the messages, and the seconds that
// the generation took (without the start of Node).
// It uses a generator with a seed, because `generateSync` alone generates the same message each time.
import { readFileSync } from "node:fs";
import { createGeneratorSync } from "json-schema-faker";

const { schema, count } = JSON.parse(readFileSync(0, "utf8"));
const generator = createGeneratorSync({ seed: 1 });
const messages = [];
const started = performance.now();
for (let i = 0; i < count; i += 1) messages.push(JSON.stringify(generator.generate(schema)));
const seconds = (performance.now() - started) / 1000;
process.stdout.write(JSON.stringify({ seconds, messages }));
