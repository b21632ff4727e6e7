import assert from "node:assert/strict";
import { proveExactness } from "./clusters.ts";

/** Processes over one state, each of which may have its fault. */
function serveTwo(
  { keeps = false, redeemsTwice = false }: { keeps?: boolean; redeemsTwice?: boolean },
) {
  const sessions = new Set<string>();
  const tokens = new Set<string>();
  const ended = new Set<string>();
  const servers = [0, 1].map((index) =>
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url, headers }) => {
      const { pathname, searchParams } = new URL(url);
      const cookie = headers.get("cookie") ?? "";
      const remembers = keeps && index === 1 && ended.has(cookie);
      if (pathname === "/begin") {
        const name = crypto.randomUUID();
        sessions.add(name);
        tokens.add(name);
        return Response.json({ cookie: name, token: name });
      }
      if (pathname === "/end") {
        sessions.delete(cookie);
        ended.add(cookie);
      }
      if (pathname === "/check") {
        return new Response(null, { status: sessions.has(cookie) || remembers ? 200 : 401 });
      }
      if (pathname !== "/redeem") return new Response();
      const token = searchParams.get("token")!;
      const isThere = tokens.has(token);
      if (!redeemsTwice) tokens.delete(token);
      return new Response(null, { status: isThere ? 200 : 409 });
    })
  );
  return {
    ports: servers.map(({ addr }) => addr.port),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

Deno.test("proveExactness() counts right answers, and throws at a session that outlives its end and a token that opens twice", async () => {
  await using exact = serveTwo({});
  let turns = 0;
  assert.deepEqual(await proveExactness(exact.ports, () => ++turns === 3), {
    ended: 3,
    redeemed: 3,
  });
  await using lax = serveTwo({ keeps: true });
  await assert.rejects(
    proveExactness(lax.ports, () => true),
    /A session that has ended: the processes answered 401, 200/,
  );
  await using twice = serveTwo({ redeemsTwice: true });
  await assert.rejects(
    proveExactness(twice.ports, () => true),
    /A single-use token: the processes answered 200, 200/,
  );
});
