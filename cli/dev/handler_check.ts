import type { IncomingMessage } from "node:http";

/**
 * Whether a request that runs a handler of the worker, as `GET /cdn-cgi/handler/scheduled` runs its cron jobs, is to be
 * refused: a page of any other site could send it, as an image's address for example, and needs no answer for the harm.
 *
 * @param request The request.
 */
export function refusesHandler(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
): boolean {
  if (!runsHandler(url)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Browsers that leave that header out, on plain http, name where they come from.
  const source = headers.origin ?? headers.referer;
  if (source === undefined) return false;
  return !URL.canParse(source) || new URL(source).host !== headers.host;
}

/** Whether a path is one of those that run handlers, in whichever spelling. */
export function runsHandler(url: string): boolean {
  return /^\/+cdn-cgi\//i.test(resolve(decode(resolve(url))));
}

/** The path without dot segments and with slashes alone, as the emulator reads it. */
function resolve(url: string): string {
  try {
    return new URL(`http://localhost${url}`).pathname;
  } catch {
    return url;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
