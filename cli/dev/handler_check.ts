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
  if (!/^\/+cdn-cgi\//i.test(decodePath(url))) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Browsers that leave that header out, on plain http, name where they come from.
  const source = headers.origin ?? headers.referer;
  if (source === undefined) return false;
  return !URL.canParse(source) || new URL(source).host !== headers.host;
}

function decodePath(url: string): string {
  const path = url.split("?", 1)[0]!.replaceAll("\\", "/");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
