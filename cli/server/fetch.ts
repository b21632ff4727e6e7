import process from "node:process";

/**
 * Makes a `fetch()` whose response has the headers of the body that it gives. Runtimes decode a body and keep
 * `content-encoding` and `content-length` of the encoded one; a response that is passed on would promise other bytes than
 * it has. On Workers the platform encodes again.
 *
 * @param fetch The runtime's own.
 */
export function createFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...args) => {
    const response = await fetch(...args);
    const coding = response.headers.get("content-encoding");
    if (coding === null || response.body === null || !isDecoded(coding)) return response;
    const headers = new Headers(response.headers);
    headers.delete("content-encoding");
    headers.delete("content-length");
    const { status, statusText, url, redirected, type } = response;
    return Object.defineProperties(new Response(response.body, { status, statusText, headers }), {
      url: { value: url },
      redirected: { value: redirected },
      type: { value: type },
    });
  };
}

/** Returns true for codings that the runtime decodes: Deno one of two, Node several one after the other. */
function isDecoded(codings: string): boolean {
  const list = codings.toLowerCase().split(",").map((coding) => coding.trim());
  if ("deno" in process.versions) return ["gzip", "br"].includes(list.join());
  const [major = 0, minor = 0] = process.versions["undici"]?.split(".").map(Number) ?? [];
  const decoded = ["gzip", "x-gzip", "deflate", "br"];
  if (major > 7 || (major === 7 && minor >= 11)) decoded.push("zstd");
  return list.every((coding) => decoded.includes(coding));
}
