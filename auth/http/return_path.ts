/** Where the visitor was going, for the way back after sign-in; null for what cannot be gone to again. */
export function returnPath(request: Request): string | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const { pathname, search } = new URL(request.url);
  return pathname + search;
}
