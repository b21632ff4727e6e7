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
    `${caller} was given a response whose body has already been read, and a body can be read only once. ` +
      "Fetch the page again, or pass the first reader a copy: response.clone().",
  );
}
