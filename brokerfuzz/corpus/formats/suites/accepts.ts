// Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.

/** Returns true if your system accepts a message. Return false for a rejection: any error counts as a crash. */
export async function accepts(messageType: string, body: Uint8Array): Promise<boolean> {
  throw new Error("complete accepts() in accepts.ts: send the message to your system, and return true if it accepts the message");
}
