/** A port of 127.0.0.1 and ::1 on which nobody listens at the moment. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
