import assert from "node:assert/strict";
import type { LoggedError } from "../lib/logger.ts";
import { getUser } from "./operations.ts";
import { visit } from "../tests/application.ts";
import {
  browserAfter,
  COOKIE,
  createTokenApplication,
  userBehind,
} from "../tests/token_application.ts";
import { CHUNK_LENGTH, MAX_TOKEN_LENGTH, readCookiesOfToken, splitIntoCookies } from "./cookie.ts";

const NAME = "s";

function read(header: string | null) {
  const { reading, names } = readCookiesOfToken(header, NAME);
  return [reading.found === "one" ? reading.value : reading.found, names];
}

// Tracks: R057
Deno.test("MAX_TOKEN_LENGTH is what three cookies hold: a text of it fills them, and one character more does not fit", () => {
  const lengths = (count: number) =>
    splitIntoCookies(NAME, "x".repeat(count)).map(([, value]) => value.length);
  assert.deepEqual(lengths(MAX_TOKEN_LENGTH), [CHUNK_LENGTH, CHUNK_LENGTH, CHUNK_LENGTH]);
  assert.equal(lengths(MAX_TOKEN_LENGTH + 1).length, 4);
});

Deno.test("splitIntoCookies() keeps every cookie within 4,096 bytes of name and value", () => {
  const name = "n".repeat(256);
  for (const length of [1, CHUNK_LENGTH, CHUNK_LENGTH + 1, 2 * CHUNK_LENGTH, MAX_TOKEN_LENGTH]) {
    const cookies = splitIntoCookies(name, "x".repeat(length));
    assert.equal(cookies.length, Math.ceil(length / CHUNK_LENGTH));
    assert.equal(cookies.map(([, value]) => value).join(""), "x".repeat(length));
    for (const [chunk, value] of cookies) assert.ok(chunk.length + value.length <= 4096);
  }
  assert.deepEqual(splitIntoCookies(NAME, "short"), [[NAME, "short"]]);
  const names = splitIntoCookies(NAME, "x".repeat(MAX_TOKEN_LENGTH)).map(([chunk]) => chunk);
  assert.deepEqual(names, ["s.0", "s.1", "s.2"]);
  assert.equal(MAX_TOKEN_LENGTH, 3 * CHUNK_LENGTH);
});

Deno.test("readCookiesOfToken() puts chunks together, in whatever order they come", () => {
  assert.deepEqual(read("s=abc"), ["abc", ["s"]]);
  assert.deepEqual(read("s.0=a; s.1=b; s.2=c"), ["abc", ["s.0", "s.1", "s.2"]]);
  assert.deepEqual(read("s.2=c; x=y; s.0=a; s.1=b"), ["abc", ["s.0", "s.1", "s.2"]]);
  assert.deepEqual(read("s.0=a"), ["a", ["s.0"]]);
  assert.deepEqual(read(null), ["none", []]);
  assert.deepEqual(read("x=y"), ["none", []]);
});

// Tracks: R057, R065, Auth.js SessionStore. The first group is how Auth.js read a session out of any cookie whose name began alike.
Deno.test("readCookiesOfToken() takes exact names, and nothing that is not whole", () => {
  const others = [
    "s-x=a",
    "s.x=a",
    "s.=a",
    "s.00=a",
    "s.01=a",
    "s.0x=a",
    "s.-1=a",
    "S.0=a",
    "xs.0=a",
    "s.10=a",
  ];
  for (const header of others) assert.deepEqual(read(header), ["none", []], header);
  assert.deepEqual(read(`s=abc; ${others.join("; ")}`), ["abc", ["s"]]);

  assert.deepEqual(read("s.1=b"), ["several", ["s.1"]]);
  assert.deepEqual(read("s.0=a; s.2=c"), ["several", ["s.0", "s.2"]]);
  assert.deepEqual(read("s=abc; s.0=a"), ["several", ["s", "s.0"]]);
  assert.deepEqual(read("s.0=a; s.0=x; s.1=b"), ["several", ["s.0", "s.1"]]);
  assert.deepEqual(read("s.0=a; s.1=b; s.1=x"), ["several", ["s.0", "s.1"]]);
  assert.deepEqual(read("s.0=a; s.0=a; s.1=b"), ["ab", ["s.0", "s.1"]]);
});

function withClaims(sizes: { length: number }) {
  return createTokenApplication({
    session: { updateAge: 0 },
    callbacks: { jwt: ({ token }) => ({ ...token, ballast: "x".repeat(sizes.length) }) },
  });
}

// Tracks: R057, F33
Deno.test("a session of 5 kB of claims travels in chunks, and a missing, foreign or further one opens nothing", async () => {
  const application = withClaims({ length: 5000 });
  const ada = await application.signIn("ada");
  const eve = await application.signIn("eve");
  const [first, second, ...more] = ada.split("; ") as [string, string];
  const [eveFirst, eveSecond] = eve.split("; ") as [string, string];
  assert.deepEqual([first.split("=")[0], second.split("=")[0], more.length], [
    `${COOKIE}.0`,
    `${COOKIE}.1`,
    0,
  ]);
  assert.equal(await userBehind(application, { cookie: ada }), "ada");
  assert.equal(await userBehind(application, { cookie: `${second}; ${first}` }), "ada");
  const broken = [
    first,
    second,
    `${first}; ${eveSecond}`,
    `${eveFirst}; ${second}`,
    `${ada}; ${COOKIE}.2=x`,
    `${ada}; ${COOKIE}=x`,
    `${ada}; ${eve}`,
    `${first.replace(".0=", ".1=")}; ${second.replace(".1=", ".0=")}`,
    `${first}; ${second.slice(0, -1)}`,
  ];
  for (const cookie of broken) {
    const response = await visit(application, () => Response.json(getUser()), { cookie });
    assert.equal(await response.json(), null);
    assert.equal(browserAfter(cookie, response), "", "and all of it is removed");
  }
  application.close();
});

// Tracks: R057
Deno.test("a session that grows or shrinks leaves no old chunk, and sign-out leaves none at all", async () => {
  const sizes = { length: 0 };
  const application = withClaims(sizes);
  let cookie = await application.signIn();
  const counts: number[] = [];
  for (sizes.length of [0, 7000, 4000, 0, 7000]) {
    const response = await visit(application, () => new Response(), { cookie });
    cookie = browserAfter(cookie, response);
    counts.push(cookie.split("; ").length);
    assert.equal(await userBehind(application, { cookie }), "ada");
  }
  assert.deepEqual(counts, [1, 3, 2, 1, 3]);
  const out = await application.send("/signout", { fields: {}, cookie });
  assert.equal(browserAfter(cookie, out), "");
  application.close();
});

// Tracks: R057
Deno.test("a session that fits into no cookies is refused at the sign-in: a typed error and no cookie", async () => {
  const application = withClaims({ length: 9000 });
  const response = await application.send("/signin/credentials", {
    json: { name: "ada", password: "right" },
    headers: { accept: "application/json" },
  });
  assert.equal(response.status, 500);
  assert.equal((await response.json()).code, "SESSION_TOO_LARGE");
  assert.deepEqual(response.headers.getSetCookie(), []);
  const failure = application.log.find(({ event }) => event === "request-failed");
  assert.equal((failure?.fields.error as LoggedError).name, "SessionTooLargeError");
  application.close();
});

// Tracks: R057
Deno.test("two renewals at once, of which one needs chunks, leave one token, whichever comes last", async () => {
  for (const order of [[0, 1], [1, 0]] as const) {
    for (const before of [0, 3000, 7000]) {
      const sizes = { length: before };
      const application = withClaims(sizes);
      const cookie = await application.signIn();
      const responses: Response[] = [];
      for (sizes.length of [2000, 7000]) {
        responses.push(await visit(application, () => new Response(), { cookie }));
      }
      let jar = cookie;
      for (const index of order) jar = browserAfter(jar, responses[index]!);
      assert.equal(await userBehind(application, { cookie: jar }), "ada", `${before}, ${order}`);
      assert.equal(jar.split("; ").length, order[1] === 1 ? 3 : 1);
      application.close();
    }
  }
});
