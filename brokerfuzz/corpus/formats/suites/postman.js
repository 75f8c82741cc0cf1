// Checks the answer to each request. Statuses from 200 to 299 accept a message, and statuses from 400 to 499 reject it.
const failed = JSON.parse(pm.collectionVariables.get("failed") || "[]"); // lists the ID and the name of each case that failed
const group = pm.execution.location[1];
const name = `${group} ${pm.info.requestName}`;
const [reason, verdict, id, twin, isNew] = pm.request.description.content.split("\n");
const entries = String(pm.variables.get("expectedFailures") || "").split("\n").map((line) => line.split("#")[0].trim()).filter(Boolean);

/** Returns whether an entry of expected-failures matches the name of a case. In an entry, * matches anything. */
function matches(entry, name) {
  return new RegExp(`^${entry.split("*").map((part) => part.replace(/[^\w]/g, "\\$&")).join(".*")}$`).test(name);
}

function problem() {
  const status = (pm.response && pm.response.code) || 0;
  const answer = status ? `${status} ${pm.response.text().slice(0, 500)}` : "none";
  const about = `the ${verdict} ${group.split("/")[0]} ${id}\n  ${reason}\n  answer: ${answer}`;
  const accepted = status >= 200 && status < 300;
  if (status === 409 && verdict !== "unspecified" && !(isNew && pm.variables.get("newNumbers"))) {
    return `inconclusive: your system may already know the number (use --env-var newNumbers=yes): ${about}`;
  }
  if (!accepted && (status < 400 || status >= 500)) return `crashed on ${about}`;
  if (verdict === "valid") return accepted ? "" : `rejected ${about}`;
  if (verdict !== "invalid") return "";
  if (accepted) return `accepted ${about}`;
  return failed.some(([one]) => one === twin) ? `inconclusive: your system does not accept the twin (the valid counterpart) ${twin} either` : "";
}

function fail(check, text) {
  pm.test(check, () => {
    throw new Error(text);
  });
}

const goal = { valid: "is accepted", invalid: "is rejected", unspecified: "is answered" }[verdict];
const found = problem();
if (found) failed.push([id, name]);
pm.collectionVariables.set("failed", JSON.stringify(failed));
const provesNothing = found.startsWith("inconclusive");
const expected = entries.some(
  (entry) => matches(entry, name) || (provesNothing && failed.some((other) => other[0] === twin && matches(entry, other[1]))),
);
if (!found) {
  pm.test(goal, () => {});
} else if (expected) {
  pm.test.skip(`${goal} (${provesNothing ? found : "expected failure"})`, () => {});
} else if (group.endsWith("/plain")) {
  fail(goal, `a plain message fails, so no other test runs: correct this first\n${found}\nexpected-failures entry: ${name}`);
  pm.execution.setNextRequest(null);
} else {
  fail(goal, `${found}\nexpected-failures entry: ${name}`);
}
if (pm.variables.has("last")) {
  const all = JSON.parse(pm.variables.get("names"));
  const hasCase = (entry) => all.some((one) => matches(entry, one));
  const passing = entries.filter((entry) => hasCase(entry) && !failed.some((one) => matches(entry, one[1]))).join(" ");
  if (passing) fail("expected-failures", `these entries pass again, so remove these lines from expected-failures: ${passing}`);
}
