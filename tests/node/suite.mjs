// Runs a file of JSON-Schema-Test-Suite by two validators. The argument is the file; output: {"ajv": WRONG, "hyperjump": WRONG},
// the descriptions of the tests that each sees otherwise. All groups are one validator's, as a runner may have it.

import {readFileSync} from "node:fs"
import {registerSchema, validate} from "@hyperjump/json-schema/draft-2020-12"
import Ajv2020 from "ajv/dist/2020.js"

const ajv = new Ajv2020({strict: true, allowUnionTypes: true})
const wrong = {ajv: [], hyperjump: []}
for (const [number, {schema, tests}] of JSON.parse(readFileSync(process.argv[2], "utf8")).entries()) {
  const uri = `https://suite.example/${number}`
  registerSchema(structuredClone(schema), uri)
  const hyperjump = await validate(uri)
  const compiled = ajv.compile(schema)
  for (const {description, data, valid} of tests) {
    if (compiled(data) !== valid) wrong.ajv.push(description)
    if (hyperjump(data).valid !== valid) wrong.hyperjump.push(description)
  }
}
process.stdout.write(JSON.stringify(wrong))
