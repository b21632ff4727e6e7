import {
  createAuth,
  createMemoryStorage,
  credentials,
  hashPassword,
  issueSession,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { declarationsWith } from "../../auth/tests/declarations.ts";

const ORIGIN = "https://app.example";

// Tracks: GHSA-xg6x-h9c9-2m83, CVE-2026-67337, BA #9122, BA #9203, GHSA-9r3w-4j8q-pw98, GHSA-5jfq. What a second factor will have to stop is one place.
Deno.test("sessions begin in one place, whatever the way to sign in", async () => {
  // The other hands on what the one has passed, or refuses it.
  assert.deepEqual(await declarationsWith(/\bstrategy\.begin\(/), [
    "bindImpersonation",
    "mintSession",
  ]);
  assert.deepEqual(await declarationsWith(/\.insertSession\(/), ["createDatabaseStrategy"]);
  const mints = await declarationsWith(/(?<!function )\bmintSession\(/);
  assert.deepEqual(mints, ["OpenRequestAuth", "issueSession"]);
});

// Tracks: K9, R002, R004
Deno.test("what the library does by default stays within the limits of workers", async () => {
  const [, , cost] = (await hashPassword("x")).split("$");
  const [n, r, p] = /^ln=(\d+),r=(\d+),p=(\d+)$/.exec(cost!)!.slice(1).map(Number) as [
    number,
    number,
    number,
  ];
  assert.ok(2 ** n * r * p <= 2 ** 20, "scrypt in production");
  assert.ok(2 * 128 * 2 ** n * r <= 64 * 1024 * 1024, "two at once in 128 MB");
  assert.deepEqual(await declarationsWith(/WebAssembly|pbkdf2|PBKDF2|\beval\(|new Function\(/), []);
  for (const statement of authSchema.up.split(/;\n/)) {
    assert.ok(statement.length < 100_000, "D1 takes statements of 100 KB");
  }
  const over100 = /\?(?:10[1-9]|1[1-9]\d|[2-9]\d\d|\d{4,})\b/;
  assert.ok(over100.test("?101") && !over100.test("?100"));
  assert.deepEqual(await declarationsWith(over100), [], "D1 takes 100 parameters");
});

function application(cookies: string, trustedOrigins: string[] = []) {
  return createAuth<unknown>({
    baseUrl: ORIGIN,
    database: createMemoryStorage(),
    trustedOrigins,
    cookies: { sessionToken: { name: cookies } },
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text" } },
      authorize: ({ name }) => Promise.resolve({ id: name! }),
    })],
  });
}

async function signIn(auth: ReturnType<typeof application>, cookie = ""): Promise<Response> {
  const headers = { origin: ORIGIN, cookie, "content-type": "application/json" };
  const body = '{"name":"ada"}';
  const request = new Request(`${ORIGIN}/auth/signin/credentials`, {
    method: "POST",
    headers,
    body,
  });
  return (await auth.handle(request, {}))!;
}

async function whoIs(auth: ReturnType<typeof application>, cookie: string): Promise<string | null> {
  const request = new Request(`${ORIGIN}/auth/session`, { headers: { cookie } });
  return (await (await auth.handle(request, {}))!.json())?.user.id ?? null;
}

// Tracks: R073, CVE-2023-29020. There is no token of a form that could be planted or survive.
Deno.test("there is no cookie before a sign-in, and none of a form after it", async () => {
  const auth = application("s");
  for (const path of ["/signin", "/signout", "/session", "/providers", "/error"]) {
    const response = await auth.handle(new Request(`${ORIGIN}/auth${path}`), {});
    assert.deepEqual(response!.headers.getSetCookie(), [], path);
    assert.equal(/csrf|xsrf/i.test(await response!.text()), false, path);
  }
  const lines = (await signIn(auth)).headers.getSetCookie();
  assert.deepEqual(lines.map((line) => line.split("=")[0]), ["s", "__Host-framework.known"]);
});

// Tracks: BA #9806
Deno.test("a cookie under the name without its prefix does not stand in for it", async () => {
  const auth = application("__Secure-s");
  const value = (await signIn(auth)).headers.getSetCookie()[0]!.split(";")[0]!.split("=")[1]!;
  assert.equal(await whoIs(auth, `__Secure-s=${value}`), "ada");
  assert.equal(await whoIs(auth, `s=planted; __Secure-s=${value}`), "ada");
  for (const name of ["s", "__Host-s", "__secure-s", "-Secure-s", "__Secure-S"]) {
    assert.equal(await whoIs(auth, `${name}=${value}`), null, name);
  }
});

// Tracks: BA #8708, CVE-2026-67334
Deno.test("a session that was ended is in no storage and comes back by no way", async () => {
  const database = createMemoryStorage();
  const auth = createAuth<unknown>({ baseUrl: ORIGIN, database });
  await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: Date.now() });
  const { cookies } = await issueSession(auth, "ada", {});
  const cookie = cookies[0]!.split(";")[0]!;
  assert.equal(await whoIs(auth, cookie), "ada");
  await auth.run(new Request(ORIGIN, { headers: { cookie } }), {}, undefined, async (context) => {
    await context.auth.endSession();
    return new Response();
  });
  const again = createAuth<unknown>({ baseUrl: ORIGIN, database });
  for (let time = 0; time < 3; time++) {
    assert.equal(await whoIs(auth, cookie), null);
    assert.equal(await whoIs(again, cookie), null);
  }
});

// Tracks: BA #9990
Deno.test("the trusted origins of one application are not another's, also at the same time", async () => {
  const open = application("s", ["https://partner.example"]);
  const closed = application("s");
  const replies = await Promise.all(Array.from({ length: 100 }, async (_, index) => {
    const auth = index % 2 === 0 ? open : closed;
    const request = new Request(`${ORIGIN}/auth/signout`, {
      method: "POST",
      headers: { origin: "https://partner.example", "content-type": "application/json" },
      body: '{"callbackUrl":"https://partner.example/x"}',
    });
    return (await auth.handle(request, {}))!.status;
  }));
  assert.deepEqual(replies, Array.from({ length: 100 }, (_, index) => index % 2 === 0 ? 200 : 403));
  const request = new Request(`${ORIGIN}/auth/signout`, {
    method: "POST",
    headers: { "origin": ORIGIN, "content-type": "application/json" },
    body: '{"callbackUrl":["//evil.example"]}',
  });
  assert.equal((await closed.handle(request, {}))!.status, 400, "a redirect that is no text");
});

// Tracks: R076
Deno.test("no path below the endpoints is exempt from the check of the origin", async () => {
  const auth = application("s");
  for (const path of ["/callback", "/callback/credentials", "/callback/github", "/signin/github"]) {
    const request = new Request(`${ORIGIN}/auth${path}`, {
      method: "POST",
      headers: { "origin": "https://evil.example", "content-type": "application/json" },
      body: '{"name":"ada","state":"x","code":"y"}',
    });
    const response = await auth.handle(request, {});
    assert.ok([403, 404].includes(response!.status), path);
    assert.deepEqual(response!.headers.getSetCookie(), []);
  }
});
