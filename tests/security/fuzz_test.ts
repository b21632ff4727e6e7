import {
  type AuthOptions,
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  jwtSessions,
  needsRehash,
  parseEmailAddress,
  verifyPassword,
} from "@framework/auth";
import fc from "fast-check";
import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";

const ORIGIN = "https://app.example";
const NAME = "framework.session-token";
const SIGN_IN = `${ORIGIN}/auth/signin/credentials`;
const RUNS = { numRuns: inMatrix ? 2000 : 200 };

const STRATEGIES: Record<string, Partial<AuthOptions>> = {
  database: { session: { strategy: "database", bearer: true } },
  jwt: {
    session: { strategy: jwtSessions, bearer: true },
    secret: "a secret of the test, of 32 bytes or more",
  },
};

function createApplication(options: Partial<AuthOptions> = {}) {
  const auth = createAuth<unknown>({
    baseUrl: ORIGIN,
    database: createMemoryStorage(),
    providers: [credentials({
      credentials: { name: { label: "Name", type: "text", required: true } },
      authorize: () => Promise.resolve(null),
    })],
    pages: { theme: defaultTheme },
    ...options,
  });
  return async (request: Request): Promise<Response> => {
    const response = await auth.handle(request, {});
    if (response === null) throw new Error("Not an endpoint");
    return response;
  };
}

/** Every text that a server can be given as the value of a header. */
const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 200,
});

/** Header values that are near to something that is read. */
const nearCookie = fc.oneof(
  headerValue,
  headerValue.map((text) => `${NAME}=${text}`),
  headerValue.map((text) => `${NAME}.0=${text}; ${NAME}.1=${text}`),
  fc.array(fc.constantFrom(NAME, "=", ";", ".", ".0", "\t", " ", '"', "%", "%zz", "__Host-", "A"), {
    maxLength: 40,
  }).map((parts) => parts.join("")),
  fc.tuple(fc.base64String(), fc.base64String(), fc.base64String())
    .map((parts) => `${NAME}=${parts.join(".")}`),
  fc.jsonValue().map((value) =>
    `${NAME}=${btoa('{"alg":"HS256","typ":"session+jwt"}').replaceAll("=", "")}.${
      btoa(encodeURIComponent(JSON.stringify(value))).replaceAll("=", "")
    }.${"A".repeat(43)}`
  ),
);

const PROTOTYPE = JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort());

function assertPrototypeIsClean(): void {
  const names = JSON.stringify(Object.getOwnPropertyNames(Object.prototype).sort());
  assert.equal(names, PROTOTYPE, "Object.prototype was written to");
}

for (const [strategy, options] of Object.entries(STRATEGIES)) {
  // Tracks: R053, R066, K11, GHSA-xmf8-cvqr-rfgj, CVE-2026-73418
  Deno.test(`no Cookie and no Authorization header makes anything throw or signs in (${strategy})`, async () => {
    const send = createApplication(options);
    await fc.assert(
      fc.asyncProperty(nearCookie, headerValue, fc.boolean(), async (cookie, value, bearer) => {
        const authorization = bearer ? `Bearer ${value}` : value;
        const request = new Request(`${ORIGIN}/auth/session`, {
          headers: { cookie, authorization },
        });
        const response = await send(request);
        assert.equal(response.status, 200);
        assert.equal(await response.json(), null);
      }),
      RUNS,
    );
    for (const long of [`${NAME}=`, "a=", ""].map((start) => start + "A".repeat(1024 * 1024))) {
      const headers = { cookie: long, authorization: `Bearer ${long}` };
      const response = await send(new Request(`${ORIGIN}/auth/session`, { headers }));
      assert.equal(await response.json(), null);
    }
    assertPrototypeIsClean();
  });
}

// Tracks: K11, R154, F32
Deno.test("no body of a sign-in makes anything throw or signs in", async () => {
  const send = createApplication();
  const form = "application/x-www-form-urlencoded";
  const dictionary = fc.dictionary(
    fc.oneof(fc.constantFrom("name", "__proto__", "constructor", "callbackUrl"), fc.string()),
    fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
  );
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => [form, bytes] as const),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => ["application/json", bytes] as const),
    fc.string({ unit: "binary" }).map((text) => [form, text] as const),
    fc.json().map((text) => ["application/json", text] as const),
    dictionary.map((value) => ["application/json", JSON.stringify(value)] as const),
    fc.tuple(headerValue, fc.string()),
  );
  await fc.assert(
    fc.asyncProperty(body, async ([type, content]) => {
      const request = new Request(SIGN_IN, {
        method: "POST",
        headers: { origin: ORIGIN, "content-type": type, accept: "application/json" },
        body: content as BodyInit,
      });
      const response = await send(request);
      assert.ok(response.status >= 400 && response.status < 500, String(response.status));
      assert.deepEqual(response.headers.getSetCookie(), []);
      const { code, message } = await response.json();
      assert.deepEqual([typeof code, typeof message], ["string", "string"]);
    }),
    RUNS,
  );
  assertPrototypeIsClean();
});

// Tracks: K11, R079, R078
Deno.test("no address of an endpoint makes it throw, or comes back as markup", async () => {
  const send = createApplication();
  const path = fc.constantFrom("/signin", "/signout", "/error", "/session", "/providers", "/x");
  const parameter = fc.constantFrom("error", "callbackUrl", "name", "error_description", "x");
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.webUrl(),
    fc.array(fc.constantFrom("<", ">", '"', "'", "&", "script", "/", "\\", ":", "\r\n", "evil"), {
      maxLength: 12,
    }).map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(path, parameter, text, headerValue, async (path, parameter, text, accept) => {
      const url = new URL(`${ORIGIN}/auth${path}`);
      url.searchParams.set(parameter, text);
      const response = await send(new Request(url, { headers: { accept } }));
      assert.ok([200, 404].includes(response.status), String(response.status));
      const body = await response.text();
      assert.equal(/<script|\son\w+=|javascript:/i.test(body), false, body);
    }),
    RUNS,
  );
});

// Tracks: R081, K11
Deno.test("no path makes the dispatcher throw or reach an endpoint under another spelling", async () => {
  const auth = createAuth<unknown>({ baseUrl: ORIGIN, database: createMemoryStorage() });
  const part = fc.constantFrom(
    "/",
    "//",
    "auth",
    "session",
    "%2f",
    "%61",
    ";x",
    ".",
    "..",
    "\\",
    "AUTH",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const request = new Request(`${ORIGIN}/${parts.join("")}`);
      const response = await auth.handle(request, {});
      const { pathname } = new URL(request.url);
      if (response?.status === 200) assert.equal(pathname, "/auth/session");
      else assert.ok(response === null || response.status === 404, pathname);
      await response?.body?.cancel();
    }),
    RUNS,
  );
});

// Tracks: K11, R009
Deno.test("no text makes verifyPassword() or needsRehash() throw", async () => {
  const near = fc.array(
    fc.constantFrom("$", "scrypt", "ln=", "r=", "p=", ",", "0", "1", "99", "-", "e", "AAAA", "="),
    { maxLength: 20 },
  ).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), near), async (hash) => {
      assert.equal(await verifyPassword("x", hash), false);
      assert.equal(needsRehash(hash), true);
    }),
    RUNS,
  );
});

// Tracks: K11, F32, R023
Deno.test("parseEmailAddress() never throws, and gives an identity that is its own identity", () => {
  const near = fc.array(
    fc.constantFrom(
      "@",
      ".",
      "\uff20",
      "\ufe6b",
      "a",
      "B",
      "\u0130",
      "\u0131",
      "\u00df",
      "\u200d",
      '"',
      ",",
      "xn--",
    ),
    { maxLength: 12 },
  ).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.emailAddress(), near), (text) => {
      const address = parseEmailAddress(text);
      if (address === null) return;
      assert.equal(address.identity.split("@").length, 2);
      assert.equal(parseEmailAddress(address.identity)?.identity, address.identity, text);
    }),
    RUNS,
  );
});
