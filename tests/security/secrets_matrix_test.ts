import {
  createAuth,
  createOAuth2Provider,
  createUser,
  email,
  type EmailParams,
  getUser,
  issueOneTimeToken,
  passkey,
  redeemOneTimeToken,
  startSession,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";

const ORIGIN = "https://app.example";
const VICTIM = "ada@example.com";

/** An application that gives out every kind of secret. */
function createApplication() {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  const outbox: EmailParams[] = [];
  const calls: string[] = [];
  const auth = createAuth({
    baseUrl: ORIGIN,
    database: sqlite(database),
    rateLimit: false,
    fetch: (input) => {
      calls.push(String(input));
      return Promise.reject(new Error("Nobody is there"));
    },
    providers: [
      email({
        from: "app@app.example",
        code: true,
        sendVerificationRequest: (params) => Promise.resolve(void outbox.push(params)),
      }),
      createOAuth2Provider({
        id: "example",
        name: "Example",
        clientId: "client",
        clientSecret: "secret",
        authorization: "https://id.example/authorize",
        token: "https://id.example/token",
        userinfo: "https://id.example/me",
        profile: () => ({ id: "1" }),
      }),
      passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
    ],
  });
  async function post(path: string, body: unknown, cookie = ""): Promise<Response> {
    const response = await auth.handle(
      new Request(`${ORIGIN}/auth${path}`, {
        method: "POST",
        headers: {
          origin: ORIGIN,
          cookie,
          "content-type": "application/json",
          accept: "application/json",
        },
        body: JSON.stringify(body),
      }),
      {},
    );
    return response!;
  }
  async function get(path: string, cookie = ""): Promise<Response> {
    const request = new Request(`${ORIGIN}/auth${path}`, { headers: { cookie } });
    return (await auth.handle(request, {}))!;
  }
  function inRequest<T>(work: () => Promise<T> | T, cookie = ""): Promise<T> {
    return new Promise((resolve, reject) => {
      const request = new Request(`${ORIGIN}/page`, { headers: { cookie } });
      auth.run(request, {}, undefined, async () => {
        resolve(await work());
        return new Response();
      }).catch(reject);
    });
  }
  return { auth, database, outbox, calls, post, get, inRequest };
}

type Application = ReturnType<typeof createApplication>;

function cookiesOf(response: Response): Map<string, string> {
  return new Map(
    response.headers.getSetCookie().map((line) => {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      return [name!, value!];
    }),
  );
}

/** One secret of each kind, all for the same person where there is one. */
async function collect(application: Application): Promise<Record<string, string>> {
  const { inRequest, outbox, post } = application;
  const asked = cookiesOf(await post("/signin/email", { email: VICTIM }));
  const started = await post("/signin/example", {});
  const { redirectTo, url } = await started.json();
  const state = new URL(redirectTo ?? url).searchParams.get("state")!;
  const options = await post("/passkey/options/authenticate", {});
  const { challenge } = await options.json();
  const [token, session] = await inRequest(async () => {
    const { id } = await createUser({ email: VICTIM });
    return [await issueOneTimeToken("reset", id), await startSession(id)];
  });
  assert.ok(session);
  const secrets = {
    link: outbox[0]!.token,
    code: outbox[0]!.code!,
    browser: asked.values().next().value!,
    state,
    transaction: cookiesOf(started).values().next().value!,
    challenge,
    ceremony: cookiesOf(options).values().next().value!,
    reset: token as string,
  };
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret, name);
  return secrets;
}

/** Presents a secret wherever one is taken; tells whether anything came of it. */
const REDEEMERS: Record<string, (application: Application, secret: string) => Promise<boolean>> = {
  async link({ post }, token) {
    return (await post("/callback/email", { token, email: VICTIM })).status === 200;
  },
  async code({ post, outbox }, secret) {
    const { code } = outbox[0]!;
    const cookie = `__Host-framework.email=${secret}`;
    return (await post("/callback/email/code", { code }, cookie)).status === 200;
  },
  async state({ get, calls }, state) {
    for (const cookie of [state, "x"]) {
      const header = `__Host-framework.oauth-${state.slice(0, 12)}=${cookie}`;
      const response = await get(`/callback/example?code=x&state=${state}`, header);
      assert.notEqual(response.headers.get("location"), `${ORIGIN}/`);
    }
    return calls.length > 0;
  },
  async challenge({ post }, challenge) {
    const clientData = { type: "webauthn.get", challenge, origin: ORIGIN, crossOrigin: false };
    const clientDataJSON = btoa(JSON.stringify(clientData)).replaceAll("=", "");
    const response = { clientDataJSON, authenticatorData: "AA", signature: "AA" };
    const credential = JSON.stringify({
      id: "AA",
      rawId: "AA",
      type: "public-key",
      response,
      clientExtensionResults: {},
    });
    const cookie = `__Host-framework.passkey=${challenge}`;
    const answer = await post("/signin/passkey", { credential }, cookie);
    // Refused because there is no such challenge for this browser, and for nothing after it.
    return (await answer.json()).code !== "PASSKEY_EXPIRED";
  },
  async reset({ inRequest }, token) {
    const purposes = ["reset", "email-link", "email-code", "oauth", "passkey-authenticate"];
    for (const purpose of purposes) {
      if (await inRequest(() => redeemOneTimeToken(purpose, token)) !== null) return true;
    }
    return false;
  },
  async session({ inRequest }, token) {
    return await inRequest(() => getUser(), `framework.session-token=${token}`) !== null;
  },
};

/** The secrets that are what a redeemer takes. */
const OWN: Record<string, readonly string[]> = {
  link: ["link"],
  code: ["browser"],
  reset: ["reset"],
};

// Tracks: GHSA-965c-763c-88jm, CVE-2026-4282, R019, F01
Deno.test("every kind of secret is presented wherever one is taken, and opens only its own", async () => {
  for (const [redeemer, redeem] of Object.entries(REDEEMERS)) {
    const application = createApplication();
    const secrets = await collect(application);
    const before = application.database.prepare("SELECT count(*) AS n FROM sessions").get()!.n;
    const own = OWN[redeemer] ?? [];
    for (const [kind, secret] of Object.entries(secrets)) {
      if (own.includes(kind)) continue;
      assert.equal(await redeem(application, secret), false, `${kind} at ${redeemer}`);
    }
    const after = application.database.prepare("SELECT count(*) AS n FROM sessions").get()!.n;
    assert.equal(after, before, redeemer);
    for (const kind of own) {
      assert.equal(await redeem(application, secrets[kind]!), true, `${kind} is still there`);
    }
    application.database.close();
  }
});
