const defaults = {
  // Without it a browser may run uploaded text as a script, whatever its declared type.
  "x-content-type-options": "nosniff",
  // Other sites learn the origin only, never a path or a query; forms of this site still send their Origin.
  "referrer-policy": "strict-origin-when-cross-origin",
};

/** Adds the headers that every HTML response carries, where the application has not set them. */
export function finishResponse(response: Response): Response {
  if (!/^(text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "")) {
    return response;
  }
  const missing = Object.entries(defaults).filter(([name]) => !response.headers.has(name));
  if (missing.length === 0) return response;
  // A response that came from fetch() has headers that cannot be changed.
  const finished = new Response(response.body, response);
  for (const [name, value] of missing) finished.headers.set(name, value);
  return finished;
}
