/** Opens a WebSocket as the page of some site does, with what its browser sends. */
export function openWebSocket(address: string | URL, headers: Record<string, string>): WebSocket {
  // Deno takes headers, of which the types of browsers know nothing.
  const options: unknown = { headers };
  return new WebSocket(address, options as string[]);
}
