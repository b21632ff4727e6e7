import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { DatabaseSync } from "node:sqlite";
import { testStorage } from "@framework/testing/storage";
import { github } from "../sign_in/oauth/presets/github.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { d1 } from "../storage/d1.ts";
import { authSchema } from "../storage/schema.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { cheapHasher, everyCookie, PASSWORD, tokenOf } from "../tests/password_application.ts";
import { createTracedAuth, traceDatabase, traceFetch } from "./traced_auth.ts";
import { createTracer, type SpanMessage } from "./tracer.ts";

/** A span that has ended, below the spans that it ran in. */
interface Ended extends SpanMessage {
  path: string;
}

/** Hears of the spans of a channel until it is closed. */
function listen(name: string): { ended: Ended[]; [Symbol.dispose](): void } {
  const { start, asyncEnd } = tracingChannel<unknown, SpanMessage>(name);
  const running = new AsyncLocalStorage<string>();
  const paths = new WeakMap<object, string>();
  const ended: Ended[] = [];
  start.bindStore(running, (message) => {
    const { name } = message as SpanMessage;
    const parent = running.getStore();
    const path = parent === undefined ? name : `${parent} > ${name}`;
    paths.set(message as object, path);
    return path;
  });
  const heard = (message: unknown) => {
    ended.push({ ...message as SpanMessage, path: paths.get(message as object)! });
  };
  asyncEnd.subscribe(heard);
  return {
    ended,
    [Symbol.dispose]() {
      start.unbindStore(running);
      asyncEnd.unsubscribe(heard);
    },
  };
}

function openFile(): DatabaseSync {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  return file;
}

// What every database does, it does also while somebody listens.
const conformance = listen("conformance");
await testStorage("a traced database", {
  open() {
    const file = openFile();
    const database = traceDatabase(sqlite(file), createTracer("conformance"));
    return { storage: createSqlStorage(database), close: () => file.close() };
  },
  isInProcess: true,
});

Deno.test("every statement of the storage was a span, and said of which table", () => {
  const summaries = new Set(
    conformance.ended.map(({ attributes }) => attributes["db.query.summary"]),
  );
  for (const one of ["SELECT sessions", "INSERT users", "DELETE sessions", "BATCH"]) {
    assert.ok(summaries.has(one), one);
  }
  conformance[Symbol.dispose]();
});

for (
  const [name, open] of [
    ["D1", () => {
      const double = createD1Double();
      return { database: d1(double), close: () => double.close() };
    }],
    ["SQLite", () => {
      const file = openFile();
      return { database: sqlite(file), close: () => file.close() };
    }],
  ] as [string, () => { database: SqlDatabase; close(): void }][]
) {
  Deno.test(`a sign-up, a sign-in and a request are spans on ${name}, and none holds what somebody sent`, async () => {
    const { database, close } = open();
    using heard = listen(`signs in on ${name}`);
    const secrets = [PASSWORD, "ada@example.com", "app.example"];
    try {
      const mails: Parameters<typeof tokenOf>[0][] = [];
      const auth = createTracedAuth({
        database,
        baseUrl: "https://app.example",
        providers: [
          passwords({ sendMail: (mail) => void mails.push(mail), hasher: cheapHasher() }),
        ],
      }, createTracer(`signs in on ${name}`));
      const pending: Promise<unknown>[] = [];
      const send = async (path: string, fields: Record<string, string>, cookie = "") => {
        const request = new Request(`https://app.example/auth${path}`, {
          method: "POST",
          headers: { origin: "https://app.example", cookie },
          body: new URLSearchParams(fields),
        });
        const response = await auth.fetch(request, undefined, {
          clientAddress: "192.0.2.1",
          waitUntil: (work) => void pending.push(work),
        });

        const values = response.headers.getSetCookie().map((line) => /=([^;]*)/.exec(line)![1]!);
        // One of them is the name of the provider.
        secrets.push(...values.filter((value) => value.length > 20));
        await Promise.all(pending.splice(0));
        return response;
      };
      const typed = { email: "ada@example.com", password: PASSWORD, name: "Ada" };
      const cookie = everyCookie(await send("/signup", typed));
      const token = tokenOf(mails[0]!);
      secrets.push(token);
      assert.equal((await send("/signup/confirm", { token }, cookie)).status, 303);
      const signedIn = await send("/signin/passwords", typed);
      assert.equal(signedIn.status, 303);
      const request = new Request("https://app.example/", {
        headers: { cookie: everyCookie(signedIn) },
      });
      const seen = await auth.run(request, undefined, {}, async ({ auth }) => {
        return new Response((await auth.getUser())?.name);
      });
      assert.equal(await seen.text(), "Ada");

      const requests = heard.ended.filter(({ name }) => name === "auth.request");
      assert.deepEqual(
        requests.map(({ attributes }) => attributes),
        [
          ["/auth/signup", 303],
          ["/auth/signup/confirm", 303],
          ["/auth/signin/passwords", 303],
        ].map(([route, status]) => ({
          "http.request.method": "POST",
          "http.route": route,
          "http.response.status_code": status,
        })),
      );
      const paths = new Set(heard.ended.map(({ path }) => path));
      assert.ok(paths.has("auth.request > auth.sql"), "statements are inside of their request");
      assert.ok(paths.has("auth.request > auth.mail"), "mails too");
      assert.ok(paths.has("auth.sql"), "and the session of another request is read");
      const all = JSON.stringify(heard.ended);
      for (const secret of secrets) assert.ok(!all.includes(secret), `${secret} is in a span`);
    } finally {
      close();
    }
  });
}

Deno.test("a request to a provider is a span by its host, without code, secret or address", async () => {
  const double = createD1Double();
  using heard = listen("provider");
  try {
    const auth = createTracedAuth({
      database: double,
      baseUrl: "https://app.example",
      secret: "a secret of the tests, of 32 bytes and more",
      providers: [github({ clientId: "client", clientSecret: "the client's secret" })],
      fetch: () => Promise.reject(new TypeError("the network is away")),
      logger: { info() {}, warn() {}, error() {} },
    }, createTracer("provider"));
    const begun = await auth.fetch(
      new Request("https://app.example/auth/signin/github", {
        method: "POST",
        headers: { origin: "https://app.example" },
      }),
      undefined,
      { clientAddress: "192.0.2.1" },
    );
    const state = new URL(begun.headers.get("location")!).searchParams.get("state");
    const cookie = everyCookie(begun);
    const callback =
      `https://app.example/auth/callback/github?code=the-code&state=${state}&iss=https://github.com/login/oauth`;
    await auth.fetch(new Request(callback, { headers: { cookie } }), undefined, {
      clientAddress: "192.0.2.1",
    });
    const asked = heard.ended.filter(({ name }) => name === "auth.fetch");
    assert.ok(asked.length > 0);
    assert.deepEqual(asked[0]!.attributes, {
      "http.request.method": "POST",
      "server.address": "github.com",
      "error.type": "TypeError",
    });
    assert.ok(asked[0]!.error instanceof TypeError);
    const all = JSON.stringify(heard.ended.map(({ attributes }) => attributes));
    for (const secret of ["the-code", state!, "the client's secret"]) {
      assert.ok(!all.includes(secret), secret);
    }
  } finally {
    double.close();
  }
});

Deno.test("an address below the endpoints that nobody has is one route", async () => {
  const double = createD1Double();
  using heard = listen("unknown");
  try {
    const auth = createTracedAuth(() => ({ database: double }), createTracer("unknown"));
    for (const path of ["/auth/nothing/a", "/auth/nothing/b"]) {
      const response = await auth.fetch(new Request(`http://localhost${path}`));
      assert.equal(response.status, 404);
    }
    const [first, second] = heard.ended.filter(({ name }) => name === "auth.request");
    assert.equal(first!.attributes["http.route"], "/auth/*");
    assert.deepEqual(first!.attributes, second!.attributes);
    assert.equal(await auth.handle(new Request("http://localhost/elsewhere"), {}), null);
    assert.equal(heard.ended.filter(({ name }) => name === "auth.request").length, 2);
  } finally {
    double.close();
  }
});

Deno.test("createTracer() gives what the work gives and throws what it throws, heard or not", async () => {
  for (const isHeard of [false, true]) {
    const name = `outcomes ${isHeard}`;
    using heard = isHeard ? listen(name) : { ended: [], [Symbol.dispose]() {} };
    const tracer = createTracer(name);
    assert.equal(tracer.enterSpan("one", () => 1), 1);
    assert.equal(await tracer.enterSpan("two", () => Promise.resolve(2)), 2);
    const failure = new Error("failed");
    assert.throws(() =>
      tracer.enterSpan("three", () => {
        throw failure;
      }), failure);
    await assert.rejects(tracer.enterSpan("four", () => Promise.reject(failure)), failure);
    assert.deepEqual(
      (heard.ended as Ended[]).map(({ name, error }) => [name, error]),
      isHeard
        ? [["one", undefined], ["two", undefined], ["three", failure], ["four", failure]]
        : [],
    );
  }
});

Deno.test("traceFetch() leaves the body to the request that is sent, in whatever form it is given", async () => {
  using heard = listen("bodies");
  const sent: string[] = [];
  const traced = traceFetch(async (input, init) => {
    const request = new Request(input, init);
    sent.push(`${request.method} ${await request.text()}`);
    return new Response(null, { status: 204 });
  }, createTracer("bodies"));
  const url = "https://idp.example/token?secret=of-the-query";
  const init = (body: BodyInit) => ({ method: "POST", body, duplex: "half" }) as RequestInit;
  await traced(url, init(new Blob(["stream"]).stream()));
  await traced(new URL(url), init("text"));
  await traced(new Request(url, init("request")));
  await traced(new Request(url, init("request and init")), { method: "PUT" });
  await traced(url);
  assert.deepEqual(sent, [
    "POST stream",
    "POST text",
    "POST request",
    "PUT request and init",
    "GET ",
  ]);
  assert.deepEqual(
    heard.ended.map(({ attributes }) => attributes["http.request.method"]),
    ["POST", "POST", "POST", "PUT", "GET"],
  );
  assert.doesNotMatch(JSON.stringify(heard.ended), /of-the-query/);
});
