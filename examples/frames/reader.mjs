// Reads messages from `brokerfuzz fire --exec 'node reader.mjs' --lines frames`, and answers each with one line.

/** Replace this function with the code that you test. */
function answer(body) {
  try {
    JSON.parse(body.toString());
    return "accepted";
  } catch (error) {
    return `rejected: ${error.name}`;
  }
}

let data = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  data = Buffer.concat([data, chunk]);
  while (data.length >= 4 && data.length >= 4 + data.readUInt32BE()) {
    const end = 4 + data.readUInt32BE();
    process.stdout.write(answer(data.subarray(4, end)) + "\n");
    data = data.subarray(end);
  }
}
