import assert from "node:assert/strict";
import { ConfigurationError, createAuth, createMemoryStorage } from "@framework/auth";
import { createOAuthApplication, ORIGIN } from "./application.ts";
import { answerOf, type Call, createFakeProvider } from "./fake_provider.ts";
import { errorOf } from "./visitor.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Faults of a server that is broken or has changed. Each repeats the request. */
const FAULTS: Record<string, [(call: Call) => Response | Promise<Response>, string]> = {
  "no network": [() => Promise.reject(new TypeError("error sending request")), "OAUTH_UNAVAILABLE"],
  "500": [({ body }) => new Response(String(body), { status: 500 }), "OAUTH_UNAVAILABLE"],
  "429": [() => Response.json({ error: "slow_down" }, { status: 429 }), "OAUTH_UNAVAILABLE"],
  "a page": [
    ({ body }) => new Response(`<p>${body}`, { headers: { "content-type": "text/html" } }),
    "OAUTH_RESPONSE_INVALID",
  ],
  "a redirect": [
    ({ body }) => new Response(null, { status: 307, headers: { location: `/elsewhere?${body}` } }),
    "OAUTH_RESPONSE_INVALID",
  ],
  "half of it": [
    () => new Response('{"access_token":"canary-acc', { headers: JSON_TYPE }),
    "OAUTH_RESPONSE_INVALID",
  ],
  "2 MiB": [
    () => new Response(" ".repeat(2 ** 21), { headers: JSON_TYPE }),
    "OAUTH_RESPONSE_INVALID",
  ],
  "another error": [
    ({ body }) => Response.json({ error: `x ${body}`, message: String(body) }, { status: 400 }),
    "OAUTH_PROVIDER_ERROR",
  ],
  "nothing": [() => new Response(null, { status: 204 }), "OAUTH_RESPONSE_INVALID"],
};

// Tracks: R096, R105, F22, F23, K1, K2, CVE-2022-31186, GHSA-8fpg-xm3f-6cx3
Deno.test("a provider that fails signs nobody in, tells no secret, and is in nobody's way afterwards", async () => {
  for (const path of ["/token", "/me"]) {
    for (const [what, [fault, expected]] of Object.entries(FAULTS)) {
      // What userinfo calls an error is no answer of OAuth.
      const code = path === "/me" && what === "another error" ? "OAUTH_RESPONSE_INVALID" : expected;
      const fake = createFakeProvider();
      const application = createOAuthApplication({
        providers: [fake.provider({ clientSecret: "canary-secret", clientAuth: "post" })],
        fetch: fake.fetch,
      });
      const { visitor, count, log } = application;
      fake.people.set("canary-code", fake.people.get("ada"));
      fake.tokens = { refresh_token: "canary-refresh" };
      fake.answer = (call) => new URL(call.url).pathname === path ? fault(call) : undefined;
      const ada = visitor();
      const answer = answerOf(await ada.start("fake"), "canary-code");
      const failed = await ada.send(answer);
      assert.equal(await errorOf(failed), code, `${path}: ${what}`);
      assert.equal(await ada.user(), null);
      assert.deepEqual([count("users"), count("accounts"), count("sessions")], [0, 0, 0]);
      const page = await ada.send(failed.headers.get("location")!);
      const again = await ada.send(answer, { headers: { accept: "application/json" } });
      const verifier = fake.calls[0]!.body.get("code_verifier")!;
      const outside = [
        JSON.stringify(
          log,
          (_, value) => value instanceof Error ? { ...value, stack: value.stack } : value,
        ),
        failed.headers.get("location"),
        await page.text(),
        await again.text(),
      ].join("\n");
      assert.equal(/canary/.test(outside) || outside.includes(verifier), false, `${path}: ${what}`);
      assert.ok(log.some(({ event }) => event === "provider-failed"));
      fake.answer = null;
      assert.equal(await errorOf(await ada.send(answerOf(await ada.start("fake"), "ada"))), null);
      assert.equal((await ada.user())?.name, "Ada");
      application.close();
    }
  }
});

// A visitor reads "Try again in a moment" for ever, and whoever could mend it would hear nothing.
Deno.test("a provider that refuses the application is an error in the log, once, with provider, endpoint and code", async () => {
  const token = "https://id.example/token";
  const cases: [string, () => Response, string | null, string?][] = [
    [
      "a secret",
      () => Response.json({ error: "invalid_client" }, { status: 401 }),
      "invalid_client",
    ],
    [
      "GitHub",
      () => Response.json({ error: "incorrect_client_credentials" }),
      "incorrect_client_cr",
    ],
    ["a page", () => new Response("<p>", { status: 401 }), "status 401"],
    ["no endpoint", () => new Response("<p>", { status: 404 }), "status 404"],
    [
      "no userinfo",
      () => new Response("<p>", { status: 404 }),
      "status 404",
      "https://id.example/me",
    ],
    // Anybody can bring a code that is none.
    ["a code", () => Response.json({ error: "invalid_grant" }, { status: 401 }), null],
  ];
  for (const [what, refuse, reason, endpoint = token] of cases) {
    for (const accept of ["text/html", "application/json"]) {
      const fake = createFakeProvider();
      const { visitor, log, close } = createOAuthApplication({
        providers: [fake.provider()],
        fetch: fake.fetch,
      });
      fake.answer = ({ url }) => url === endpoint ? refuse() : undefined;
      const ada = visitor();
      const answer = answerOf(await ada.start("fake"), "ada");
      await ada.send(answer, { headers: { accept } });
      const [line, ...others] = log.filter(({ level }) => level === "error");
      const isPage = accept === "text/html";
      assert.equal(
        line?.event ?? null,
        isPage ? reason && "provider-failed" : "request-failed",
        what,
      );
      assert.deepEqual(others, []);
      assert.doesNotMatch(JSON.stringify(log), /a secret/);
      close();
      if (reason === null) continue;
      const { provider, endpoint: at, reason: said, message } = log
        .find(({ event }) => event === "provider-failed")!.fields;
      assert.deepEqual([provider, at], ["fake", endpoint]);
      assert.ok(String(said).startsWith(reason), what);
      if (at === token) assert.match(String(message), /configured for "fake" at https:/, what);
    }
  }
});

// What a browser brings to the callback, a stranger can write.
Deno.test("an error that the browser brings is no error in the log, whatever it is called", async () => {
  const fake = createFakeProvider();
  const { visitor, log, close } = createOAuthApplication({
    providers: [fake.provider()],
    fetch: fake.fetch,
  });
  const ada = visitor();
  await ada.send(answerOf(await ada.start("fake"), "ada", { error: "invalid_client" }));
  assert.deepEqual(log.filter(({ level }) => level === "error"), []);
  close();
});

Deno.test("an access token that no header can hold is the provider's fault, and no error of ours", async () => {
  const fake = createFakeProvider();
  const { visitor, log, close } = createOAuthApplication({
    providers: [fake.provider()],
    fetch: fake.fetch,
  });
  for (const token of ["\0", "a\nb", "ключ", ""]) {
    fake.tokens = { access_token: token };
    const ada = visitor();
    const failed = await ada.send(answerOf(await ada.start("fake"), "ada"));
    assert.equal(await errorOf(failed), "OAUTH_RESPONSE_INVALID", JSON.stringify(token));
    assert.equal(await ada.user(), null);
  }
  assert.equal(log.filter(({ level }) => level === "error").length, 0);
  close();
});

// Tracks: BA #9974
Deno.test("two providers never share an id", () => {
  const fake = createFakeProvider();
  assert.throws(
    () =>
      createAuth({
        database: createMemoryStorage(),
        providers: [fake.provider(), fake.provider({ name: "Another" })],
      }),
    ConfigurationError,
  );
});

Deno.test("a provider without a database and without a secret is a ConfigurationError at the start", () => {
  const fake = createFakeProvider();
  assert.throws(() => createAuth({ providers: [fake.provider()] }), ConfigurationError);
});

Deno.test("without built-in pages a failed sign-in is its own answer, unless the application has the page", async () => {
  for (
    const [pages, path] of [[{}, null], [{ signIn: "/login", error: "/oops" }, "/login"]] as const
  ) {
    const fake = createFakeProvider();
    const application = createOAuthApplication({
      providers: [fake.provider()],
      fetch: fake.fetch,
      pages,
    });
    const { visitor, count, log, close } = application;
    for (const [code, status] of [["OAUTH_DENIED", 403], ["OAUTH_PROVIDER_ERROR", 502]] as const) {
      const ada = visitor();
      const error = code === "OAUTH_DENIED" ? "access_denied" : "server_error";
      const failed = await ada.send(answerOf(await ada.start("fake"), "ada", { error }));
      if (path === null) {
        assert.equal(failed.status, status);
        assert.equal(failed.headers.get("content-type"), "text/plain; charset=utf-8");
        assert.match(
          await failed.text(),
          status === 403 ? /access_denied/ : /failed. Start again/,
        );
      } else {
        assert.equal(failed.headers.get("location"), `${ORIGIN}${path}?error=${code}`);
      }
      const json = await ada.send(answerOf(await ada.start("fake"), "ada", { error }), {
        headers: { accept: "application/json" },
      });
      assert.deepEqual([json.status, await errorOf(json)], [status, code]);
      assert.equal(await ada.user(), null);
    }
    assert.equal(log.filter(({ event }) => event === "provider-failed").length, 4);
    assert.equal(count("sessions"), 0);
    close();
  }
});
