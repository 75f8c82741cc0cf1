// What is tested, and how it is asked. This file is yours: it is written once, and kept when the corpus is written again.

/** [name, value]: what a request has in place of its usual headers of these names; null: no such header. */
export type Header = [name: string, value: string | null];

/**
 * The time that the clock of what you test shows, such as "2025-06-15T12:00:00Z". A few verdicts follow the clock:
 * those cases are skipped at any other time.
 */
export const CLOCK: string | null = null;

/**
 * Whether what you test accepts a message. Few cases have headers. Reject by returning false: whatever is thrown counts as a crash.
 */
export async function accepts(messageType: string, body: Uint8Array, headers: Header[]): Promise<boolean> {
  throw new Error("fill in accepts() in accepts.ts: ask what you test, and return whether it accepts the message");
}
