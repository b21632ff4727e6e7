import {
  createAuth,
  createOAuth2Provider,
  credentials,
  defaultTheme,
  email,
  getUser,
  type SqlDatabase,
} from "@framework/auth";
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createD1Double } from "../../auth/tests/d1_double.ts";

const ORIGIN = "https://app.example";

/** Secrets that no line of a log and no response to a failure may contain. */
const CANARIES = {
  "password": "canary-password-5b1f",
  "wrong password": "canary-wrong-77aa",
  "secret of the application": "canary-secret-of-32-bytes-or-more-0001",
  "secret at the provider": "canary-client-secret-9c2e",
  "code of the provider": "canary-code-of-the-provider-1d4a",
  "access token of the provider": "canary-access-token-8e21",
  "refresh token of the provider": "canary-refresh-token-4f77",
  "query of the application's address": "canary-query-3b90",
  "what an application threw that is no error": "canary-thrown-object-6c1d",
  // Events name users by their id.
  "address of a mailbox": "canary.mailbox@example.com",
};

/** Secrets that the library makes: they are known when they have been sent. */
type Made = "session cookie" | "other cookie" | "token of a link" | "code of an email";

/** Failures of a provider, a mailer and a database. Each reveals all that it knows. */
type Failure = "network" | "refused" | "broken" | "none";

async function listen(failure: Failure): Promise<{ lines: string[]; made: Map<string, Made> }> {
  const lines: string[] = [];
  const made = new Map<string, Made>();
  const inner = createD1Double();
  const state = { failsDatabase: false };
  const database: SqlDatabase = {
    prepare(sql) {
      if (state.failsDatabase) throw new Error(`D1_ERROR: ${sql} at /srv/app.sqlite`);
      return inner.prepare(sql);
    },
    batch: (statements) => inner.batch(statements),
  };
  function report(event: string, fields: unknown): void {
    lines.push(JSON.stringify([event, fields]), inspect([event, fields], { depth: 20 }));
  }
  const auth = createAuth({
    baseUrl: ORIGIN,
    database,
    secret: CANARIES["secret of the application"],
    logger: { info: report, warn: report, error: report },
    pages: { theme: defaultTheme },
    async fetch(input, init) {
      const request = new Request(input, init);
      const said = `${request.method} ${request.url}?${await request.clone().text()} ${
        request.headers.get("authorization")
      }`;
      if (failure === "network") throw new TypeError(`error sending request for url (${said})`);
      if (failure === "broken") return new Response(said, { status: 500 });
      if (failure === "refused") {
        return Response.json({ error: "invalid_grant", "error_description": said }, {
          status: 400,
        });
      }
      return new URL(request.url).pathname === "/token"
        ? Response.json({
          "access_token": CANARIES["access token of the provider"],
          "refresh_token": CANARIES["refresh token of the provider"],
          "token_type": "bearer",
        })
        : new Response(`not JSON: ${said}`);
    },
    providers: [
      credentials({
        credentials: {
          name: { label: "Name", type: "text", required: true },
          password: { label: "Password", type: "password", required: true },
        },
        authorize({ name, password }) {
          if (name === "object") {
            throw { password, canary: CANARIES["what an application threw that is no error"] };
          }
          if (name === "error") throw new Error("The directory does not answer");
          return Promise.resolve(password === CANARIES.password ? { id: name! } : null);
        },
      }),
      email({
        from: "App <hello@app.example>",
        code: true,
        sendVerificationRequest({ url, token, code, identifier }) {
          made.set(token, "token of a link").set(code!, "code of an email");
          if (failure === "none") return Promise.resolve();
          const cause = Object.assign(new Error(`550 no such mailbox, at ${url}`), { identifier });
          throw new Error(`The mailer refuses ${url}`, { cause });
        },
      }),
      createOAuth2Provider({
        id: "company",
        name: "Company",
        clientId: "app",
        clientSecret: CANARIES["secret at the provider"],
        authorization: "https://id.example/authorize",
        token: "https://id.example/token",
        userinfo: "https://id.example/me",
        scope: "read",
        profile: (said) => ({ id: String((said as { id: string }).id) }),
      }),
    ],
  });

  const jar = new Map<string, string>();
  async function send(path: string, fields?: Record<string, string>): Promise<Response | null> {
    const request = new Request(`${ORIGIN}/auth${path}`, {
      headers: {
        accept: "application/json",
        origin: ORIGIN,
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      },
      ...(fields !== undefined && { method: "POST", body: new URLSearchParams(fields) }),
    });
    let response: Response | null;
    try {
      response = await auth.handle(request, {}, { clientAddress: "192.0.2.1" });
    } catch {
      // Logged by the library. What a host makes of it is the host's.
      return null;
    }
    for (const line of response!.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
      const kind = name!.endsWith("session-token") ? "session cookie" : "other cookie";
      for (const part of value!.split(".")) if (part.length > 20) made.set(part, kind);
    }
    return response;
  }
  function password(name: string, password: string): Promise<Response | null> {
    return send("/signin/credentials", { name, password });
  }
  async function failed(response: Response | null): Promise<void> {
    if (response !== null && response.status >= 400) lines.push(await response.text());
  }

  await failed(await password("ada", CANARIES["wrong password"]));
  await failed(await password("error", CANARIES.password));
  await failed(await password("object", CANARIES.password));
  await password("ada", CANARIES.password);
  await failed(await send("/signin/email", { email: CANARIES["address of a mailbox"] }));
  const token = [...made].find(([, kind]) => kind === "token of a link")?.[0] ?? "";
  await failed(
    await send("/callback/email", { token: `${token}x`, email: CANARIES["address of a mailbox"] }),
  );
  await failed(await send("/callback/email/code", { code: "x" }));
  const start = await send("/signin/company", {});
  const { redirectTo } = await start!.json();
  const begun = new URL(redirectTo).searchParams.get("state")!;
  const code = CANARIES["code of the provider"];
  await failed(await send(`/callback/company?${new URLSearchParams({ code, state: begun })}`));
  await failed(await send(`/callback/company?${new URLSearchParams({ code, state: "unknown" })}`));
  await failed(
    await send(`/session/${CANARIES["query of the application's address"]}?token=${token}`),
  );
  await auth.run(
    new Request(`${ORIGIN}/page?token=${CANARIES["query of the application's address"]}`),
    {},
    undefined,
    () => {
      throw new Error(`Nothing at /page?token=${CANARIES["query of the application's address"]}`);
    },
  ).catch(() => {});
  state.failsDatabase = true;
  await failed(await send("/session"));
  await failed(await password("ada", CANARIES.password));
  await failed(await send("/signin/email", { email: CANARIES["address of a mailbox"] }));
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  await auth.run(
    new Request(`${ORIGIN}/page`, { headers: { cookie } }),
    {},
    undefined,
    () => Response.json(getUser()),
  );
  inner.close();
  return { lines, made };
}

// Tracks: R105, OP-02, OP-13
for (const failure of ["none", "network", "refused", "broken"] as const) {
  Deno.test(`no line of the log and no answer to a failure holds a secret: ${failure}`, async () => {
    const { lines, made } = await listen(failure);
    const kinds = new Set(made.values());
    for (const kind of ["session cookie", "other cookie", "token of a link", "code of an email"]) {
      assert.ok(kinds.has(kind as Made), kind);
    }
    const text = lines.join("\n");
    for (
      const event of ["sign-in-failed", "request-failed", "provider-failed", "STORAGE_UNAVAILABLE"]
    ) {
      assert.ok(text.includes(event), event);
    }
    assert.ok(text.includes("The directory does not answer"), "an error keeps its message");
    for (const [what, canary] of Object.entries(CANARIES)) {
      const line = lines.find((one) => one.includes(canary));
      assert.equal(line, undefined, what);
    }
    for (const [secret, what] of made) {
      // A code of six digits may stand in a name by chance.
      const whole = new RegExp(`(?<![\\w-])${secret}(?![\\w-])`);
      const line = lines.find((one) => whole.test(one));
      assert.equal(line, undefined, what);
    }
  });
}
