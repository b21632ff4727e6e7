import { TestingError } from "../errors.ts";

/**
 * Reads the page of a response.
 *
 * @param caller The function that reads it, for the message.
 * @throws {TestingError} `BODY_READ` when its body has been read before.
 */
export async function readPage(response: Response, caller: string): Promise<string> {
  if (!response.bodyUsed) return await response.text();
  throw new TestingError(
    "BODY_READ",
    `${caller} was given a response whose body has been read before, and a body can be read once. ` +
      "Ask for the page again, or give the first reader a copy: response.clone().",
  );
}
