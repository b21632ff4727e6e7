/** Ports below those that a system gives to connections by itself: on Linux the first of these is 32768. */
const FIRST = 12_000;
const LAST = 32_000;

const given = new Set<number>();

/**
 * A port of 127.0.0.1 and ::1 on which nobody listens at the moment. None that the system chose: until a program listens
 * there, any connection of this machine could get the same.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || isTaken(port)) continue;
    given.add(port);
    return port;
  }
}

function isTaken(port: number): boolean {
  return ["127.0.0.1", "::1"].some((hostname) => {
    try {
      Deno.listen({ hostname, port }).close();
      return false;
    } catch (error) {
      // A machine may have no ::1.
      return error instanceof Deno.errors.AddrInUse;
    }
  });
}
