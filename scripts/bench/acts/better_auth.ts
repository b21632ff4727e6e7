import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { URI } from "otpauth";
import type { BetterAuth, Peers } from "../peers.ts";
import { betterAuthConfig, jsonRequest, ORIGIN } from "../programs/better_auth.ts";
import { type Act, type Acts, changed, cookiesOf, PASSWORD, PLAIN_HASHER } from "./act.ts";

interface Application {
  auth: BetterAuth;
  file: DatabaseSync;
  /** Tokens of mails, the newest last. */
  mails: string[];
  send(path: string, body?: unknown, cookie?: string): Promise<Response>;
}

async function open(
  peers: Peers,
  more: Record<string, unknown> = {},
): Promise<Application> {
  const { betterAuth } = await peers.betterAuth();
  const file = new DatabaseSync(":memory:");
  const mails: string[] = [];
  const auth = betterAuth(betterAuthConfig({
    database: file,
    emailAndPassword: {
      enabled: true,
      autoSignIn: true,
      password: {
        hash: PLAIN_HASHER.hash,
        verify: ({ password, hash }: { password: string; hash: string }) =>
          PLAIN_HASHER.verify(password, hash),
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      sendVerificationEmail: ({ token }: { token: string }) =>
        Promise.resolve(void mails.push(token)),
    },
    ...more,
  }));
  await (await auth.$context).runMigrations();
  return {
    auth,
    file,
    mails,
    send(path, body, cookie = "") {
      const url = `/api/auth${path}`;
      const request = body === undefined ? new Request(ORIGIN + url) : jsonRequest(url, body);
      if (cookie !== "") request.headers.set("cookie", cookie);
      return auth.handler(request);
    },
  };
}

let people = 0;

function newAddress(): string {
  return `ada${++people}@example.com`;
}

function person(email: string): Record<string, string> {
  return { name: "Ada", email, password: PASSWORD };
}

async function signUp(peers: Peers): Promise<Act> {
  const { send, mails } = await open(peers);
  let last = "";
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const email = last = newAddress();
      return () => send("/sign-up/email", person(email));
    },
    signsIn: true,
    wrong: {
      "an address that has an account": () => send("/sign-up/email", person(last.toUpperCase())),
      "a password that is too short": () =>
        send("/sign-up/email", { ...person(newAddress()), password: "short" }),
    },
    tidy: () => void (mails.length = 0),
  };
}

async function verification(peers: Peers): Promise<Act> {
  const { send, mails } = await open(peers);
  const confirm = (token: string, cookie: string) =>
    send(`/verify-email?token=${encodeURIComponent(token)}`, undefined, cookie);
  async function begin(): Promise<[token: string, cookie: string]> {
    const response = await send("/sign-up/email", person(newAddress()));
    return [mails.pop()!, cookiesOf(response)];
  }
  return {
    async make() {
      const given = await begin();
      return () => confirm(...given);
    },
    // A token of it is signed and counts until its hour is over, in every browser.
    wrong: {
      async "a token that was changed"() {
        const [token, cookie] = await begin();
        return await confirm(changed(token), cookie);
      },
    },
  };
}

async function factor(peers: Peers): Promise<Act> {
  const { twoFactor } = await peers.betterAuthPlugins();
  const { send, file } = await open(peers, { plugins: [twoFactor({ issuer: "App" })] });
  const email = newAddress();
  let cookie = cookiesOf(await send("/sign-up/email", person(email)));
  const enabled = await send("/two-factor/enable", { password: PASSWORD }, cookie);
  const { totpURI } = await enabled.clone().json();
  cookie = `${cookie}; ${cookiesOf(enabled)}`;
  const app = URI.parse(totpURI) as { generate(): string };
  await send("/two-factor/verify-totp", { code: app.generate() }, cookie);
  async function whole(code: string): Promise<Response> {
    const begun = await send("/sign-in/email", { email, password: PASSWORD });
    return await send("/two-factor/verify-totp", { code }, cookiesOf(begun));
  }
  const forget = file.prepare(`DELETE FROM "session"`);
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      return () => whole(app.generate());
    },
    // A code that has been used counts as long as it is shown.
    signsIn: true,
    wrong: { "a wrong code": () => whole(changed(app.generate())) },
    // It lists all sessions of the user whenever it makes one.
    tidy: () => void forget.run(),
  };
}

async function key(peers: Peers): Promise<Act> {
  const { apiKey } = await peers.betterAuthApiKey();
  const { auth, file, send } = await open(peers, { plugins: [apiKey()] });
  await send("/sign-up/email", person("ada@example.com"));
  const { id: userId } = file.prepare(`SELECT id FROM "user"`).get() as { id: string };
  const api = auth.api as unknown as {
    createApiKey(input: { body: Record<string, unknown> }): Promise<{ id: string; key: string }>;
    updateApiKey(input: { body: Record<string, unknown> }): Promise<unknown>;
    verifyApiKey(input: { body: { key: string } }): Promise<{ valid: boolean }>;
  };
  const create = () =>
    api.createApiKey({ body: { name: "Bench", userId, rateLimitEnabled: false } });
  const made = await create();
  const revoked = await create();
  await api.updateApiKey({ body: { keyId: revoked.id, userId, enabled: false } });
  const bearer = /^Bearer (.+)$/;
  async function guard(request: Request): Promise<Response> {
    const given = bearer.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const { valid } = await api.verifyApiKey({ body: { key: given } });
    return new Response(null, { status: valid ? 200 : 401 });
  }
  const requestWith = (key: string) =>
    new Request(`${ORIGIN}/api`, { headers: { authorization: `Bearer ${key}` } });
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const request = requestWith(made.key);
      return () => guard(request);
    },
    wrong: {
      "a key that was changed": () => guard(requestWith(changed(made.key))),
      "a revoked key": () => guard(requestWith(revoked.key)),
    },
  };
}

async function invitation(peers: Peers): Promise<Act> {
  const { organization } = await peers.betterAuthPlugins();
  const { file, send } = await open(peers, {
    plugins: [organization({ membershipLimit: 1e9, invitationLimit: 1e9 })],
  });
  const owner = cookiesOf(await send("/sign-up/email", person("owner@example.com")));
  const create = async (slug: string) =>
    await (await send("/organization/create", { name: slug, slug }, owner)).json() as {
      id: string;
    };
  const { id: acme } = await create("acme");
  const { id: other } = await create("other");
  const ownerId = (file.prepare(`SELECT id FROM "user"`).get() as { id: string }).id;
  const prove = file.prepare(`UPDATE "user" SET emailVerified = 1 WHERE email = ?1`);
  const invite = file.prepare(`INSERT INTO "invitation"
    (id, organizationId, email, role, status, expiresAt, createdAt, inviterId)
    VALUES (?1, ?2, ?3, 'member', 'pending', ?4, ?5, ?6)`);
  const isMember = file.prepare(`SELECT 1 FROM "member" JOIN "user" ON "user".id = "member".userId
    WHERE "member".organizationId = ?1 AND "user".email = ?2`);
  const forget = [
    `DELETE FROM "member" WHERE userId <> '${ownerId}'`,
    `DELETE FROM "invitation"`,
    `DELETE FROM "session" WHERE userId <> '${ownerId}'`,
    `DELETE FROM "account" WHERE userId <> '${ownerId}'`,
    `DELETE FROM "user" WHERE id <> '${ownerId}'`,
  ].join(";");

  async function join(): Promise<{ email: string; cookie: string }> {
    const email = newAddress();
    const cookie = cookiesOf(await send("/sign-up/email", person(email)));
    prove.run(email);
    return { email, cookie };
  }
  function tokenFor(email: string, expires = Date.now() + 86_400_000): string {
    const id = randomUUID();
    const at = (time: number) => new Date(time).toISOString();
    invite.run(id, acme, email, at(expires), at(Date.now()), ownerId);
    return id;
  }
  const accept = (invitationId: string, cookie: string) =>
    send("/organization/accept-invitation", { invitationId }, cookie);
  return {
    async make() {
      const { email, cookie } = await join();
      const token = tokenFor(email);
      return () => accept(token, cookie);
    },
    wrong: {
      async "a token that was changed"() {
        const { email, cookie } = await join();
        return await accept(changed(tokenFor(email)), cookie);
      },
      async "a used invitation"() {
        const { email, cookie } = await join();
        const token = tokenFor(email);
        await accept(token, cookie);
        return await accept(token, cookie);
      },
      async "an ended invitation"() {
        const { email, cookie } = await join();
        return await accept(tokenFor(email, Date.now() - 1), cookie);
      },
      async "the invitation of somebody else"() {
        const [{ email }, { cookie }] = [await join(), await join()];
        return await accept(tokenFor(email), cookie);
      },
      async "an invitation as one to another team"() {
        const { email, cookie } = await join();
        await accept(tokenFor(email), cookie);
        const isThere = isMember.get(acme, email) !== undefined;
        const isElsewhere = isMember.get(other, email) !== undefined;
        return new Response(null, { status: isThere && !isElsewhere ? 403 : 200 });
      },
    },
    tidy: () => file.exec(forget),
  };
}

/** The acts in applications of Better Auth. */
export const betterAuthActs: Acts<Peers> = {
  "sign-up": signUp,
  "verification of an address": verification,
  "sign-in with a second factor": factor,
  "check of an API key": key,
  "acceptance of an invitation": invitation,
};
