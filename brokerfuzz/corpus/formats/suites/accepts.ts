// Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.

/** [name, value]: replaces the default headers of the request with this name (null: do not send this header). */
export type Header = [name: string, value: string | null];

/**
 * Returns true if your system accepts a message. Most cases have no headers. Return false for a rejection: any error counts as a crash.
 */
export async function accepts(messageType: string, body: Uint8Array, headers: Header[]): Promise<boolean> {
  throw new Error("complete accepts() in accepts.ts: send the message to your system, and return true if it accepts the message");
}
