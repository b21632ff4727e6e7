import assert from "node:assert/strict";
import { trustPlatform, trustProxies } from "../core/client_address.ts";
import { endSession, getUser, requireRole, startSession } from "../session/operations.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { astroAuth, type AstroLocals } from "./astro.ts";
import { createAuth } from "./create_auth.ts";
import type { AuthOptions } from "./options.ts";

const ORIGIN = "https://app.example";

class ActionError extends Error {
  static statusToCode = (status: number) => `CODE_${status}`;
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

async function place(options: Partial<AuthOptions> = {}) {
  const database = createMemoryStorage();
  await database.createUser({ user: { id: "ada", name: "Ada" }, emailIdentity: null, at: 0 });
  const auth = createAuth({ database, baseUrl: ORIGIN, pages: { signIn: "/login" }, ...options });
  const { onRequest, guard } = astroAuth(auth, { ActionError });

  /** A request, as Astro hands it to its middleware. */
  function ask(
    init: RequestInit,
    next: (locals: AstroLocals, ...rest: unknown[]) => Response | Promise<Response>,
    isPrerendered = false,
  ): Promise<Response> {
    const locals = {} as AstroLocals;
    const request = new Request(`${ORIGIN}/page`, init);
    const context = { request, clientAddress: "192.0.2.7", isPrerendered, locals };
    return onRequest(context, async (...given: unknown[]) => await next(locals, ...given));
  }
  const begun = await ask({}, async () => new Response((await startSession("ada")).user.name));
  return { ask, guard, cookie: begun.headers.getSetCookie()[0]!.split(";")[0]! };
}

// Tracks: R083, R190
Deno.test("astroAuth() knows the user in pages, and hands Astro no page to show in place of this one", async () => {
  const { ask, cookie } = await place();
  const page = await ask({ headers: { cookie } }, ({ user, session }, ...rest) => {
    // What next() is given, Astro takes for the address of another page.
    assert.deepEqual(rest, []);
    assert.equal(session?.user.id, "ada");
    return new Response(`${user?.name} ${getUser()?.name}`);
  });
  assert.equal(await page.text(), "Ada Ada");
  assert.equal(page.headers.get("cache-control"), "no-store");
  const made = await ask({ headers: { cookie } }, (locals, ...rest) => {
    assert.deepEqual([Object.keys(locals), rest], [[], []]);
    return new Response("for everybody");
  }, true);
  assert.equal(made.headers.get("vary"), null);
});

// Tracks: R071, R190
Deno.test("astroAuth() refuses forms of other sites by baseUrl, and answers actions with errors of Astro", async () => {
  const { ask, guard, cookie } = await place();
  let calls = 0;
  for (const [origin, status] of [["https://evil.example", 403], [ORIGIN, 200]] as const) {
    const form = { method: "POST", headers: { cookie, origin }, body: new FormData() };
    assert.equal((await ask(form, () => new Response(String(++calls)))).status, status);
  }
  assert.equal(calls, 1);
  for (const [headers, code] of [[{}, "CODE_401"], [{ cookie }, "CODE_403"]] as const) {
    const answer = await ask({ headers }, () => {
      assert.throws(() => guard(() => requireRole("admin")), { code });
      return new Response();
    });
    assert.equal(answer.status, 200);
  }
});

// Tracks: R147, R168
Deno.test("astroAuth() believes no address that Astro has out of X-Forwarded-For, and warns of it once", async () => {
  const cases: [Partial<AuthOptions>, addresses: string[], warnings: number][] = [
    [{}, ["0.0.0.0", "0.0.0.0", "192.0.2.7"], 1],
    // Of these Astro tells nobody, so that none of them is known by its address.
    [{ trustedProxies: trustProxies(["10.0.0.0/8"]) }, ["0.0.0.0", "0.0.0.0", "192.0.2.7"], 1],
    [
      { trustedProxies: trustPlatform({ header: "x-real-ip" }) },
      ["198.51.100.1", "198.51.100.1", "198.51.100.1"],
      0,
    ],
  ];
  for (const [options, expected, count] of cases) {
    const addresses: unknown[] = [];
    const warnings: string[] = [];
    const { ask, cookie } = await place({
      events: { "sign-out": ({ address }) => void addresses.push(address) },
      logger: { info() {}, error() {}, warn: (event) => void warnings.push(event) },
      ...options,
    });
    // The second by another word; the third beside the address of the connection.
    for (const claimed of ["192.0.2.7", "192.0.2.7, 10.0.0.1", "203.0.113.5"]) {
      const headers = { cookie, "x-forwarded-for": claimed, "x-real-ip": "198.51.100.1" };
      await ask({ headers }, async () => {
        await startSession("ada");
        await endSession();
        return new Response();
      });
    }
    assert.deepEqual(addresses, expected);
    assert.deepEqual(warnings, Array(count).fill("proxy-not-trusted"));
  }
});
