import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";

/** What {@linkcode loadVersion} needs. */
export interface LoadOptions {
  /** Path of the version's module. */
  path: string;
  /** What the shell asks for before it does anything. */
  secret: string;
  /** Milliseconds that the worker has. */
  patience: number;
}

/**
 * Tells the shell to take up a version.
 *
 * Not by `fetch`: the first use of that costs tens of milliseconds.
 *
 * @param control Where the shell listens.
 * @returns null when the version runs, why it does not, or undefined when the worker does not answer.
 */
export function loadVersion(
  control: URL,
  { path, secret, patience }: LoadOptions,
): Promise<string | null | undefined> {
  return new Promise((resolve) => {
    const request = httpRequest(control, {
      method: "POST",
      agent: false,
      headers: { authorization: secret, "content-length": path.length },
      signal: AbortSignal.timeout(patience),
    });
    request.on("response", (response) => {
      text(response).then(
        (said) => resolve(response.statusCode === 204 ? null : said),
        () => resolve(undefined),
      );
    });
    request.on("error", () => resolve(undefined));
    request.end(path);
  });
}
