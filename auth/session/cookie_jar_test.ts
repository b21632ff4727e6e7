import assert from "node:assert/strict";
import type { RequestStore } from "../core/contracts.ts";
import { readCookieOptions } from "../core/cookie_options.ts";
import { createCookiesOut } from "../lib/cookie.ts";
import { createTestApplication, inVisit, ORIGIN } from "../tests/application.ts";
import {
  CHUNK_LENGTH,
  CHUNKED_COOKIES,
  createSessionJar,
  isLibraryCookie,
  readCookiesOfToken,
  readHostCookie,
  type SessionJar,
} from "./cookie.ts";

const NAME = "framework.session-token";

/** The lines that a jar sets, each by its name and whether it removes the cookie. */
function linesOf(
  { names = [], options }: { names?: string[]; options?: unknown },
  work: (jar: SessionJar) => void,
): string[] {
  const cookiesOut = createCookiesOut();
  const cookie = { ...readCookieOptions(options), tokens: CHUNKED_COOKIES, until: 0 };
  work(createSessionJar({ cookie, names, cookiesOut, origin: () => ORIGIN }));
  return cookiesOut.close().map((line) =>
    `${line.slice(0, line.indexOf("="))}${line.includes("Max-Age=0") ? " gone" : ""}`
  ).sort();
}

const life = (length: number) => ({ token: "x".repeat(length), milliseconds: 60_000 });

Deno.test("a jar that is cleared takes away what came, and what another request may be giving", () => {
  assert.deepEqual(linesOf({}, (jar) => jar.clear()), [`${NAME} gone`]);
  const options = { sessionToken: { hostOnly: true } };
  assert.deepEqual(linesOf({ options }, (jar) => jar.clear()), [
    `__Host-${NAME} gone`,
    // From before the prefix, or planted by a sibling host.
    `${NAME} gone`,
  ]);
  const names = [`${NAME}.0`, `${NAME}.7`];
  assert.deepEqual(linesOf({ names }, (jar) => jar.clear()), [
    `${NAME} gone`,
    ...names.map((name) => `${name} gone`),
  ]);
});

Deno.test("a jar that is written to twice leaves of the first token nothing that the second has not", () => {
  const lines = linesOf({}, (jar) => {
    jar.write(life(2 * CHUNK_LENGTH));
    jar.write(life(10));
  });
  assert.deepEqual(lines, [NAME, `${NAME}.0 gone`, `${NAME}.1 gone`]);
});

Deno.test("chunks beyond those that are set today are seen, so that they can be removed", () => {
  const header = [0, 1, 2, 5, 9].map((index) => `${NAME}.${index}=x`).join("; ");
  const { reading, names } = readCookiesOfToken(header, NAME);
  assert.equal(reading.found, "several");
  assert.deepEqual(names, [0, 1, 2, 5, 9].map((index) => `${NAME}.${index}`));
});

// On plain http no prefix keeps another host of the site from planting one.
Deno.test("of several cookies of one name none is read, whichever comes first", () => {
  const read = (cookie: string | null, origin = "http://localhost:8080") => {
    const request = new Request(origin, { headers: cookie === null ? {} : { cookie } });
    const store = { request, auth: { origin: () => origin } } as unknown as RequestStore;
    return readHostCookie(store, "framework.x");
  };
  assert.equal(read(null), null);
  assert.equal(read("framework.x=1"), "1");
  assert.equal(read("framework.x=1; framework.x=2"), null);
  assert.equal(read("other.framework.x=1"), null);
  // With https it is the one with the prefix alone.
  assert.equal(read("framework.x=1", ORIGIN), null);
  assert.equal(read("framework.x=1; __Host-framework.x=2", ORIGIN), "2");
});

Deno.test("isLibraryCookie() knows the library's cookies, the session cookie and its chunks, and no other", async () => {
  const options = { cookies: { sessionToken: { name: "sid" } }, rateLimit: false } as const;
  const application = createTestApplication(options);
  const cases: [name: string, isOurs: boolean][] = [
    ["framework.oauth-x", true],
    ["__Host-framework.known", true],
    ["Framework.known", true],
    ["xframework.known", false],
    ["sid", true],
    ["__Host-sid", true],
    ["__secure-sid", true],
    ["sid.0", true],
    ["sid.12", true],
    // Of the application.
    ["sid.", false],
    ["sid.theme", false],
    ["sid.0.x", false],
    ["sids", false],
    ["SID", false],
    ["theme", false],
  ];
  await inVisit(application, () => {
    for (const [name, isOurs] of cases) assert.equal(isLibraryCookie(name), isOurs, name);
    return new Response();
  });
  assert.equal(isLibraryCookie("sid"), false);
  application.close();
});
