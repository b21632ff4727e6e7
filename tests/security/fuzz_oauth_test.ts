import {
  type Auth,
  type AuthOptions,
  createAuth,
  createOidcProvider,
  credentials,
  jwtSessions,
  type LoggedError,
} from "@framework/auth";
import * as library from "@framework/auth";
import fc from "fast-check";
import assert from "node:assert/strict";
import { createOAuthApplication, type LogLine, ORIGIN } from "../oauth/application.ts";
import { answerOf, createFakeProvider, type FakeProvider } from "../oauth/fake_provider.ts";
import { createVisitor, type Visitor } from "../oauth/visitor.ts";
import { inMatrix } from "../support/matrix.ts";

/** The same answers at each run, so that a failure is the source's and not the day's. */
const SEED = 9126;
const SESSION = "framework.session-token";

/** Number of random inputs of as many: the matrix takes all, and looks for the rarer ones. */
function runs(all: number): number {
  return inMatrix ? all : Math.ceil(all / 3);
}

const PEOPLE = ["ada", "grace"];

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.webUrl(),
  fc.constantFrom("", "ada", "null", "__proto__", "//evil.example", "https://evil.example/", "\0"),
);
const anyTarget = fc.oneof(
  anyText,
  fc.array(fc.constantFrom("/", "\\", "..", "//", "evil.example", "@", ":", "%2f", "\t", "a"), {
    maxLength: 8,
  }).map((parts) => parts.join("")),
);

/** Mostly what is right in its place, so that some answers are right as a whole. */
function nearly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 14, arbitrary: right },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
    { weight: 1, arbitrary: anyText },
  );
}

/** Responses of a server: mostly JSON close to what is read, sometimes anything. */
function anyReply(near: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Reply> {
  const text = fc.oneof(
    { weight: 4, arbitrary: near.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  );
  const status = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(200, 201) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(202, 302, 307, 400, 401, 403, 404, 429, 500, 503, 599),
    },
  );
  const type = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("application/json", "application/json;charset=utf-8") },
    { weight: 1, arbitrary: fc.constantFrom("text/html", "application/jwt", "", "application/x") },
  );
  return fc.record({ status, type, text });
}

interface Reply {
  status: number;
  type: string;
  text: string;
}

function respond({ status, type, text }: Reply): Response {
  const headers = { "content-type": type, location: "https://evil.example/" };
  return new Response(text, { status, headers });
}

/** The object that a reply holds, if it is one that may be believed. */
function objectOf({ status, type, text }: Reply, wanted: number): Record<string, unknown> | null {
  if (status !== wanted || !type.startsWith("application/json")) return null;
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const password = credentials({
  credentials: { email: { label: "Email", type: "email", required: true } },
  authorize: ({ email }) => Promise.resolve({ id: `user of ${email}`, email: email! }),
});

interface Place {
  auth: Auth<unknown>;
  fake: FakeProvider;
  log: LogLine[];
  visitor(): Visitor;
  close(): void;
}

/** An application; `where` says whether sign-ins under way are rows or sealed cookies. */
function createPlace(where: string, options: Partial<AuthOptions> = {}): Place {
  const fake = createFakeProvider();
  const providers = [
    fake.provider(),
    fake.provider({ id: "form", name: "Form", responseMode: "form_post" }),
    password,
    ...options.providers ?? [],
  ];
  const { fetch } = fake;
  if (where === "rows") {
    return { ...createOAuthApplication({ ...options, providers, fetch }), fake };
  }
  const log: LogLine[] = [];
  const report = (level: string) => (event: string, fields: Record<string, unknown>) => {
    log.push({ level, event, fields });
  };
  const auth = createAuth<unknown>({
    fetch,
    baseUrl: ORIGIN,
    secret: "a secret of at least thirty-two bytes",
    session: { strategy: jwtSessions },
    logger: { info: report("info"), warn: report("warn"), error: report("error") },
    ...options,
    providers,
  });
  return { auth, fake, log, visitor: () => createVisitor(auth, ORIGIN), close() {} };
}

/**
 * Asserts what holds for every response: it is intended, and redirects only where the application
 * says.
 */
async function assertMeant(response: Response, { log }: Place, provider?: string): Promise<void> {
  const { status, headers } = response;
  assert.notEqual(status, 500, await response.clone().text());
  for (const { fields: { error } } of log) {
    const { name = "AuthError", code } = (error ?? {}) as Partial<LoggedError>;
    assert.ok(
      name in library && (error === undefined || code !== undefined),
      JSON.stringify(error),
    );
  }
  log.length = 0;
  const location = headers.get("location");
  if (location === null) return;
  const { origin, pathname } = new URL(location);
  assert.ok(origin === ORIGIN || origin + pathname === provider, location);
}

function hasSession(response: Response): boolean {
  return response.headers.getSetCookie().some((line) =>
    line.startsWith(`${SESSION}=`) && !line.startsWith(`${SESSION}=;`)
  );
}

/** Brings the fields to a callback, in the address or by a form of another site. */
async function bring(
  visitor: Visitor,
  id: string,
  fields: readonly (readonly [string, string])[],
  headers: Record<string, string> = {},
): Promise<Response> {
  const url = `${ORIGIN}/auth/callback/${id}`;
  const text = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  if (id !== "form") return await visitor.send(`${url}?${text}`, { headers });
  return await visitor.send(url, {
    method: "POST",
    body: text,
    headers: {
      origin: "https://id.example",
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
    crossSitePost: true,
  });
}

for (const where of ["rows", "cookies"]) {
  Deno.test(`no answer of a provider signs in but that to a sign-in of this browser (${where})`, async () => {
    const place = createPlace(where);
    const own = Symbol("what is right");
    const field = (...wrong: string[]) =>
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(own) },
        { weight: 1, arbitrary: fc.constantFrom(undefined, ...wrong) },
        { weight: 1, arbitrary: anyText },
      );
    const answers = fc.record({
      id: fc.constantFrom("fake", "form"),
      at: fc.constantFrom("fake", "form", own, own, own),
      callbackUrl: fc.option(anyTarget, { nil: undefined }),
      state: field("cut", "another"),
      code: field(),
      error: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, {
        weight: 1,
        arbitrary: anyText,
      }),
      iss: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, {
        weight: 1,
        arbitrary: anyText,
      }),
      more: fc.array(
        fc.tuple(
          fc.constantFrom("state", "code", "id_token", "callbackUrl", "__proto__", "intent"),
          anyTarget,
        ),
        { maxLength: 1 },
      ),
      cookie: fc.oneof(
        { weight: 5, arbitrary: fc.constant(own) },
        { weight: 1, arbitrary: fc.constantFrom("none", "another", "twice", "cut") },
      ),
      json: fc.boolean(),
    });
    let signedIn = 0;
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        const { id, callbackUrl, cookie, error, iss, more } = answer;
        const at = typeof answer.at === "symbol" ? id : answer.at;
        const [ada, mallory] = [place.visitor(), place.visitor()];
        const fields = callbackUrl === undefined ? {} : { callbackUrl };
        const right = new URL(await ada.start(id, fields)).searchParams.get("state")!;
        const another = new URL(await mallory.start(id)).searchParams.get("state")!;
        const state = answer.state === own
          ? right
          : answer.state === "cut"
          ? right.slice(0, -1)
          : answer.state === "another"
          ? another
          : answer.state as string | undefined;
        const code = answer.code === own ? "ada" : answer.code as string | undefined;
        const pairs = Object.entries({ state, code, error, iss })
          .flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const]);
        const given = ada.jar.header(ORIGIN);
        const cookies: Record<string, string> = {
          none: "a=b",
          another: mallory.jar.header(ORIGIN),
          twice: `${given}; ${given.slice(0, -1)}`,
          cut: given.slice(0, -1),
        };
        const headers = {
          ...answer.json && { accept: "application/json" },
          ...typeof cookie === "string" && { cookie: cookies[cookie]! },
        };
        const response = await bring(ada, at, [...pairs, ...more], headers);
        await assertMeant(response, place);
        // A browser that holds the other sign-in's cookie is the one that began it.
        const isPair = (state === right && cookie === own) ||
          (state === another && cookie === "another");
        const isProof = at === id && isPair && PEOPLE.includes(code ?? "") &&
          error === undefined && iss === undefined &&
          !more.some(([name]) => pairs.some(([other]) => other === name));
        assert.equal(hasSession(response), isProof);
        assert.equal(await ada.user() !== null, isProof);
        if (isProof) signedIn++;
      }),
      { numRuns: runs(300), seed: SEED },
    );
    assert.ok(signedIn > runs(20), String(signedIn));
    place.close();
  });
}

Deno.test("no answer of a token endpoint or of userinfo signs in but a complete one", async () => {
  const place = createPlace("rows");
  const token = anyReply(
    fc.record({
      access_token: nearly(fc.constantFrom("ada", "grace")),
      token_type: nearly(fc.constantFrom("bearer", "Bearer")),
      expires_in: nearly(fc.constantFrom(3600, "3600")),
      refresh_token: nearly(fc.constant("r")),
      scope: nearly(fc.constant("a b")),
      id_token: anyText,
      error: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, anyText),
    }, { requiredKeys: ["access_token", "token_type"] }),
  );
  const said = anyReply(
    fc.record({
      id: nearly(fc.constantFrom("1", "2")),
      name: nearly(fc.constant("Ada")),
      email: nearly(fc.constant("ada@example.com")),
      verified: nearly(fc.boolean()),
    }, { requiredKeys: [] }),
  );
  const right = { status: 200, type: "application/json", text: '{"id":"1"}' };
  let signedIn = 0;
  await fc.assert(
    fc.asyncProperty(
      token,
      fc.oneof(fc.constant(right), said),
      async (tokenReply, userReply) => {
        place.fake.answer = ({ url }) =>
          respond(new URL(url).pathname === "/token" ? tokenReply : userReply);
        const ada = place.visitor();
        const response = await ada.send(answerOf(await ada.start("fake"), "x"));
        await assertMeant(response, place);
        if (!hasSession(response)) {
          assert.equal(await ada.user(), null);
          return;
        }
        signedIn++;
        const tokens = objectOf(tokenReply, 200);
        const user = objectOf(userReply, 200);
        assert.ok(tokens !== null && user !== null);
        assert.ok(typeof tokens.access_token === "string" && tokens.access_token !== "");
        assert.match(String(tokens.token_type), /^bearer$/i);
        assert.notEqual(typeof tokens.error, "string");
        assert.ok(typeof user.id === "string" && user.id !== "");
      },
    ),
    { numRuns: runs(400), seed: SEED },
  );
  assert.ok(signedIn > runs(10), String(signedIn));
  place.close();
});

Deno.test("no description of a provider and no answer to a pushed request leads elsewhere", async () => {
  const authorization = "https://id.example/authorize";
  const issuer = "https://id.example";
  const description = fc.record({
    issuer: fc.oneof({ weight: 9, arbitrary: fc.constant(issuer) }, anyText),
    authorization_endpoint: fc.oneof(
      { weight: 9, arbitrary: fc.constant(authorization) },
      anyTarget,
    ),
    token_endpoint: fc.oneof({ weight: 9, arbitrary: fc.constant(`${issuer}/token`) }, anyTarget),
    jwks_uri: fc.oneof({ weight: 9, arbitrary: fc.constant(`${issuer}/keys`) }, anyTarget),
    require_pushed_authorization_requests: nearly(fc.constant(true)),
    pushed_authorization_request_endpoint: fc.oneof(
      { weight: 9, arbitrary: fc.constant(`${issuer}/par`) },
      anyTarget,
    ),
    id_token_signing_alg_values_supported: nearly(fc.constant(["RS256"])),
  });
  const pushed = anyReply(
    fc.record({
      request_uri: nearly(fc.constant("urn:ietf:params:oauth:request_uri:a")),
      expires_in: nearly(fc.constant(60)),
      error: anyText,
    }, { requiredKeys: ["request_uri"] }),
  );
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(description, pushed, fc.boolean(), async (described, reply, json) => {
      const oidc = {
        id: "local",
        name: "Local",
        issuer,
        clientId: "app",
        clientSecret: "a secret",
      };
      const place = createPlace("cookies", { providers: [createOidcProvider(oidc)] });
      place.fake.answer = ({ url }) => {
        const { pathname } = new URL(url);
        if (pathname === "/par") return respond(reply);
        return Response.json(pathname === "/keys" ? { keys: [] } : described);
      };
      const response = await place.visitor().send("/auth/signin/local", {
        method: "POST",
        ...json && { headers: { accept: "application/json" } },
      });
      const provider = described.authorization_endpoint;
      const isSafe = URL.canParse(provider) && new URL(provider).protocol === "https:";
      const { origin, pathname } = new URL(isSafe ? provider : authorization);
      await assertMeant(response, place, origin + pathname);
      assert.equal(hasSession(response), false);
      const target = json && response.ok
        ? (await response.json()).redirectTo
        : response.headers.get("location");
      if (target === null || new URL(target).origin === ORIGIN) return;
      assert.ok(isSafe && described.issuer === issuer);
      assert.equal(new URL(target).origin + new URL(target).pathname, origin + pathname);
      if (described.require_pushed_authorization_requests !== true) return;
      sent++;
      const answer = objectOf(reply, 201);
      assert.equal(typeof answer?.request_uri, "string");
      const { searchParams } = new URL(target);
      assert.equal(searchParams.get("request_uri"), answer!.request_uri);
      assert.deepEqual(
        [...searchParams.keys()].filter((name) => !new URL(provider).searchParams.has(name)),
        ["client_id", "request_uri"],
      );
    }),
    { numRuns: runs(400), seed: SEED },
  );
  assert.ok(sent > runs(20), String(sent));
});

Deno.test("no way of linking gives an account to another user or makes a session", async () => {
  const place = createPlace("rows");
  const { sqlite } = place as Place & ReturnType<typeof createOAuthApplication>;
  const who = fc.constantFrom("ada", "ada", "grace", "nobody");
  const ways = fc.record({
    id: fc.constantFrom("fake", "form"),
    intent: fc.oneof(
      { weight: 4, arbitrary: fc.constant("link") },
      fc.constantFrom("LINK", "link ", "link\0", "[object Object]", "__proto__"),
      anyText,
    ),
    start: who,
    deliver: who,
    between: fc.constantFrom("nothing", "nothing", "sign out", "sign in again"),
    callbackUrl: anyTarget,
  });
  let linked = 0;
  await fc.assert(
    fc.asyncProperty(ways, async ({ id, intent, start, deliver, between, callbackUrl }) => {
      sqlite.exec("DELETE FROM sessions; DELETE FROM accounts; DELETE FROM users");
      const signIn = async (visitor: Visitor, name: string): Promise<string> => {
        const body = new URLSearchParams({ email: `${name}@home.example` });
        const signed = await visitor.send("/auth/signin/credentials", { method: "POST", body });
        assert.equal(hasSession(signed), true);
        return visitor.jar.header(ORIGIN).split("; ").find((pair) => pair.startsWith(SESSION))!;
      };
      const browser = place.visitor();
      const sessions: Record<string, string> = {
        ada: await signIn(browser, "ada"),
        grace: await signIn(place.visitor(), "grace"),
        nobody: "a=b",
      };
      const begun = await browser.send(`/auth/signin/${id}`, {
        method: "POST",
        body: new URLSearchParams({ intent, callbackUrl }),
        headers: { cookie: sessions[start]! },
      });
      await assertMeant(begun, place, "https://id.example/authorize");
      assert.equal(hasSession(begun), false);
      const location = begun.headers.get("location");
      if (location === null || !location.startsWith("https://id.example/")) {
        assert.ok(intent === "link" && start === "nobody");
        return;
      }
      if (between === "sign out") {
        await browser.send("/auth/signout", {
          method: "POST",
          headers: { cookie: sessions[start]! },
        });
      }
      const current = between === "sign in again"
        ? await signIn(browser, "ada")
        : sessions[deliver]!;
      const waiting = browser.jar.header(ORIGIN).split("; ").filter((pair) =>
        !pair.startsWith(SESSION)
      );
      const before = sessionIds();
      const fields = [...new URL(answerOf(location, "ada")).searchParams];
      const cookie = [...waiting, ...id === "form" ? [] : [current]].join("; ");
      const response = await bring(browser, id, fields, { cookie });
      await assertMeant(response, place);
      const owners = sqlite.prepare("SELECT user_id AS owner FROM accounts WHERE provider = ?").all(
        id,
      );
      if (intent !== "link") {
        // An ordinary sign-in, as whoever the provider says.
        assert.equal(hasSession(response), true);
        const known = owners.map(({ owner }) => owner);
        assert.equal(known.includes("user of ada@home.example"), false);
        assert.equal(known.includes("user of grace@home.example"), false);
        return;
      }
      assert.equal(hasSession(response), false);
      assert.deepEqual(sessionIds(), before);
      // A new sign-in ends the session that this browser had.
      const ended = between === "sign out" || (between === "sign in again" && start === "ada");
      // A form of another site brings no session along: the one that asked has only to be there still.
      const isThere = !ended && (id === "form" || current === sessions[start]);
      if (owners.length > 0) {
        assert.ok(isThere);
        assert.deepEqual(owners.map(({ owner }) => owner), [`user of ${start}@home.example`]);
        linked++;
      } else assert.equal(isThere, false);
    }),
    { numRuns: runs(150), seed: SEED },
  );
  assert.ok(linked > runs(10), String(linked));
  place.close();

  function sessionIds(): unknown[] {
    return sqlite.prepare("SELECT id FROM sessions ORDER BY id").all();
  }
});
