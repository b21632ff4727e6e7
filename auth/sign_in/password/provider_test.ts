import assert from "node:assert/strict";
import { createAuth } from "../../app/create_auth.ts";
import type { AuthOptions } from "../../app/options.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import { ConfigurationError } from "../../errors.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { createTestApplication, type TestApplication } from "../../tests/application.ts";
import { asWorker } from "../../tests/as_worker.ts";
import { inEnvironment } from "../../tests/in_environment.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { SECRET } from "../../tests/token_application.ts";
import type { PasswordsConfig } from "./options.ts";
import { passwords } from "./provider.ts";

const LOCAL = "http://localhost:8000";

function refuses(work: () => unknown, field: string, says = /./): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.equal(error.field, field);
    assert.match(error.message, says);
    return true;
  });
}

Deno.test("passwords() refuses options that it does not know, and values that are none", () => {
  const sendMail = () => {};
  const wrong: [Record<string, unknown>, string][] = [
    [{ sendmail: sendMail }, "sendmail"],
    [{ sendMail: "smtp://" }, "sendMail"],
    [{ sendMail, minLength: 7 }, "minLength"],
    [{ sendMail, minLength: 65 }, "minLength"],
    [{ sendMail, blocklist: "password" }, "blocklist"],
    [{ sendMail, breached: "yes" }, "breached"],
    [{ sendMail, hasher: {} }, "hasher"],
    [{ sendMail, verifyLegacy: true }, "verifyLegacy"],
    [{ sendMail, verification: "never" }, "verification"],
    [{ sendMail, name: "" }, "name"],
  ];
  for (const [config, field] of wrong) {
    refuses(() => passwords(config as PasswordsConfig), field);
  }
});

/** Settings are made at the first request. */
async function start(options: Partial<AuthOptions>): Promise<Error | null> {
  const auth = createAuth({ baseUrl: "https://app.example", ...options } as AuthOptions);
  try {
    await auth.handle(new Request("https://app.example/auth/session"), {});
    return null;
  } catch (error) {
    return error as Error;
  }
}

Deno.test("passwords() needs a database, and sessions that can be ended", async () => {
  const providers = [passwords({ sendMail: () => {} })];
  const cases: [Partial<AuthOptions>, string | null][] = [
    [{ providers, secret: SECRET, session: { strategy: jwtSessions } }, "database"],
    [{
      providers,
      secret: SECRET,
      session: { strategy: jwtSessions },
      database: createMemoryStorage(),
    }, "session.revocation"],
    [{ providers, database: createMemoryStorage() }, null],
  ];
  for (const [options, field] of cases) {
    let error: Error | null;
    try {
      error = await start(options);
    } catch (thrown) {
      error = thrown as Error;
    }
    assert.equal((error as ConfigurationError | null)?.field ?? null, field);
  }
});

Deno.test("without sendMail there is an error in production, and in a worker of which nothing is said", async () => {
  await inEnvironment(
    "production",
    () => refuses(() => passwords(), "sendMail", /sendMail: \(mail\)/),
  );
  await inEnvironment(
    undefined,
    () => asWorker(() => Promise.resolve(refuses(() => passwords(), "sendMail"))),
  );
  await inEnvironment("production", () => assert.ok(passwords({ sendMail: () => {} })));
});

/** Sends to the endpoints of an application on this machine. */
async function askLocal(
  { auth }: Pick<TestApplication, "auth">,
  path: string,
  { headers = {}, address = "127.0.0.1", body }: {
    headers?: Record<string, string>;
    address?: string | null;
    body?: URLSearchParams;
  } = {},
): Promise<Response> {
  const request = new Request(`${LOCAL}/auth${path}`, {
    headers: { origin: LOCAL, ...headers },
    ...body !== undefined && { method: "POST", body },
  });
  const info = address === null ? {} : { clientAddress: address };
  return await auth.handle(request, {}, info) ?? new Response(null, { status: 404 });
}

// Tracks: R105
Deno.test("in development mails are in the terminal and on a page that this machine alone sees", async () => {
  for (const [environment, hasPage] of [["development", true], [undefined, false]] as const) {
    let provider: ReturnType<typeof passwords>;
    await inEnvironment(environment, () => void (provider = passwords()));
    const application = createTestApplication({
      providers: [provider!],
      baseUrl: LOCAL,
    });
    const fields = new URLSearchParams({ email: "ada@example.com", password: PASSWORD });
    const written = await inEnvironment(environment, async () => {
      assert.equal((await askLocal(application, "/signup", { body: fields })).status, 303);
    });
    assert.match(
      written,
      /To: ada@example\.com\n[^]*http:\/\/localhost:8000\/auth\/signup\/confirm\?token=/,
    );
    const page = await askLocal(application, "/dev/mail");
    assert.equal(page.status, hasPage ? 200 : 404);
    if (hasPage) {
      assert.match(await page.text(), /signup\/confirm\?token=/);
      for (const address of ["::1", "127.8.8.8"]) {
        assert.equal((await askLocal(application, "/dev/mail", { address })).status, 200);
      }
      for (const address of ["192.0.2.1", "2001:db8::1"]) {
        assert.equal((await askLocal(application, "/dev/mail", { address })).status, 404, address);
      }
      // A server on all interfaces that knows no address: the host is whatever the client writes.
      assert.equal((await askLocal(application, "/dev/mail", { address: null })).status, 404);
      for (
        const name of [
          "forwarded",
          "via",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-proto",
          "x-real-ip",
          "cf-connecting-ip",
          "cf-ray",
          "true-client-ip",
        ]
      ) {
        for (const address of ["127.0.0.1", null]) {
          const headers = { [name]: "127.0.0.1" };
          const refused = await askLocal(application, "/dev/mail", { headers, address });
          assert.equal(refused.status, 404, `${name}, ${address}`);
        }
      }
      // There the platform itself writes the header, and `framework dev` over whatever the client sent.
      for (
        const [connecting, status] of [["127.0.0.1", 200], ["192.0.2.1", 404], [null, 404]] as const
      ) {
        const headers = connecting === null ? {} : { "cf-connecting-ip": connecting };
        const answer = await asWorker(() =>
          askLocal(application, "/dev/mail", { headers, address: null })
        );
        assert.equal(answer.status, status, `a worker, ${connecting}`);
      }
    }
    // A name that its owner has led to this machine (DNS rebinding).
    const rebound = new Request("http://evil.example:8000/auth/dev/mail");
    const refused = await application.auth.handle(rebound, {}, { clientAddress: "127.0.0.1" });
    assert.notEqual(refused?.status, 200);
    assert.doesNotMatch(await refused!.text(), /token=/);
    application.close();
  }
});

Deno.test("passwords() may be made from the environment", async () => {
  const sent: string[] = [];
  const provider = passwords((env: { FROM: string }) => ({
    sendMail: ({ to }) => void sent.push(`${env.FROM} ${to}`),
  }));
  const auth = createAuth<{ FROM: string }>(() => ({
    baseUrl: "https://app.example",
    database: createMemoryStorage(),
    providers: [provider],
  }));
  const request = new Request("https://app.example/auth/signup", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ email: "ada@example.com", password: PASSWORD }),
  });
  assert.equal((await auth.handle(request, { FROM: "app" }))?.status, 200);
  assert.deepEqual(sent, ["app ada@example.com"]);
});
