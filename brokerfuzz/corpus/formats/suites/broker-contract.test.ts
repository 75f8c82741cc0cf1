// The cases of cases.ndjson, a test each, written by brokerfuzz. What is to be filled in is in accepts.ts.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { accepts, CLOCK, type Header } from "./accepts";

interface Case {
  id: string;
  name: string;
  messageType: string;
  verdict: "valid" | "invalid" | "unspecified";
  reason: string;
  now: string | null;
  twin: string | null;
  headers: Header[];
  body: Uint8Array;
}

/** The case of a line: what stands behind `"body":`, the last property, is the text of the message, down to the last digit. */
function read(line: string): Case {
  const at = line.indexOf(',"body":');
  const record = JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`);
  const text = line.slice(at + ',"body":'.length, -1).replace(/,"last":true$/, "");
  return {
    ...record,
    messageType: record.message,
    headers: record.headers ?? [],
    body: new Uint8Array(at < 0 ? Buffer.from(record.raw, "base64") : Buffer.from(text, "utf8")),
  };
}

const lines = readFileSync(new URL("./cases.ndjson", import.meta.url), "utf8").split("\n");
const cases = lines.filter((line) => line !== "").map((line) => read(line.trimEnd()));
const valid = new Map(cases.filter((one) => one.verdict === "valid").map((one) => [one.id, one]));
const answers = new Map<string, Promise<boolean>>();

/** Asks whether a message is accepted; of a valid one, which may be the twin of many, once. */
function accepted(one: Case): Promise<boolean> {
  if (one.verdict !== "valid") return ask(one);
  const answer = answers.get(one.id) ?? ask(one);
  answers.set(one.id, answer);
  return answer;
}

async function ask(one: Case): Promise<boolean> {
  let answer: unknown;
  try {
    answer = await accepts(one.messageType, one.body, one.headers);
  } catch (problem) {
    throw new Error(`${problem instanceof Error ? problem.message : problem}\n  on ${told(one)}`, { cause: problem });
  }
  if (typeof answer !== "boolean") throw new Error(`accepts() has to return true or false, and returned ${String(answer)}`);
  return answer;
}

/** The case for a reader. */
function told(one: Case): string {
  const sent = one.headers.map(([name, value]) => (value === null ? `\n  without ${name}` : `\n  with ${name}: ${value}`));
  return `the ${one.verdict} ${one.messageType} ${one.id}\n  ${one.reason}${sent.join("")}\n  ${printable(one.body)}`;
}

/** The beginning of a message, what does not print and is not ASCII escaped. */
function printable(body: Uint8Array): string {
  const start = Buffer.from(body).toString("utf8").slice(0, 500);
  return start.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

describe("broker contract", () => {
  for (const one of cases) {
    test.skipIf(one.now !== null && one.now !== CLOCK)(one.name, async (context) => {
      const answer = await accepted(one);
      if (one.verdict === "valid") expect(answer, `rejected ${told(one)}`).toBe(true);
      if (one.verdict !== "invalid") return;
      expect(answer, `accepted ${told(one)}`).toBe(false);
      const twin = valid.get(one.twin ?? "");
      if (twin && !(await accepted(twin))) {
        context.skip(`the rejection proves nothing: the valid twin, ${twin.name}, is rejected too`);
      }
    });
  }
});
