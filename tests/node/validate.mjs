// Judges messages with two validators. Input: a line {"message": TYPE, "body": VALUE} a message; output: a line
// {"ajv": BOOLEAN, "hyperjump": BOOLEAN} each, in their order. The argument is the folder of the schemas.
// Ajv runs in strict mode, and whatever it has to say of the schemas ends the run.

import {readFileSync, readdirSync} from "node:fs"
import {join} from "node:path"
import {createInterface} from "node:readline"
import {registerSchema, validate} from "@hyperjump/json-schema/draft-2020-12"
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

const complain = (...told) => {
  throw new Error(`Ajv says of the schemas: ${told.join(" ")}`)
}
const ajv = addFormats(new Ajv2020({strict: true, allowUnionTypes: true, logger: {log: complain, warn: complain, error: complain}}))

const folder = process.argv[2]
const suffix = ".schema.json"
const schemas = readdirSync(folder)
  .filter((name) => name.endsWith(suffix))
  .map((name) => [name.slice(0, -suffix.length), JSON.parse(readFileSync(join(folder, name), "utf8"))])
for (const [, schema] of schemas) {
  ajv.addSchema(schema)
  registerSchema(structuredClone(schema))
}
const validators = new Map()
for (const [name, schema] of schemas) {
  validators.set(name, {ajv: ajv.getSchema(schema.$id), hyperjump: await validate(schema.$id)})
}

const verdicts = []
for await (const line of createInterface({input: process.stdin})) {
  const {message, body} = JSON.parse(line)
  const {ajv, hyperjump} = validators.get(message)
  verdicts.push(JSON.stringify({ajv: ajv(body), hyperjump: hyperjump(body).valid}))
}
process.stdout.write(verdicts.map((verdict) => `${verdict}\n`).join(""))
