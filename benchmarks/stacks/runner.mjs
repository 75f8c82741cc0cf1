// Runs a Node stack, which reads messages from its standard input.

import {createRequire} from "node:module"
import {createInterface} from "node:readline"

// Loads a package of tests/node.
export const load = createRequire(new URL("../../tests/node/", import.meta.url))

// With STACK_SETTING=lax, a stack uses the ordinary settings of its library instead of strict ones.
export const lax = process.env.STACK_SETTING === "lax"

// The environment variable STACK_NOW can set the current time of the service: for example, 2026-03-01T12:00:00Z.
const now = () => (process.env.STACK_NOW ? Date.parse(process.env.STACK_NOW) : Date.now())

// Returns the value in a message. Raises an error if the bytes are not UTF-8 or not JSON. Ignores a byte order mark.
export const parsed = (body) => JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(body))

// Reads a message in base64 from each line. `accepts` returns true if the service accepts a body (a Buffer) at a time (in
// milliseconds since 1970).
export const main = async (accepts) => {
  for await (const line of createInterface({input: process.stdin})) {
    process.stdout.write(accepts(Buffer.from(line, "base64"), now()) ? "accepted\n" : "rejected\n")
  }
}
