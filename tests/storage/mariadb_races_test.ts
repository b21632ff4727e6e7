// Several processes on one MariaDB, of which many requests at once ask for what only one may have.
import assert from "node:assert/strict";
import { join } from "node:path";
import { mariadb } from "@framework/auth/mariadb";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { type Child, startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { startMariadb } from "../support/mariadb.ts";
import { until } from "../support/until.ts";

const programs = await findMariadb();
// Each race has a hundred in one process with every command.
const PROCESSES = inMatrix ? 4 : 2;
const MANY = inMatrix ? 100 : 25;
// Of a passkey, each with a challenge of its own.
const COPIES = inMatrix ? 20 : 8;
const ROUNDS = inMatrix ? 2 : 1;
// Of the passkey, which counts each.
const USES = inMatrix ? 3 : 1;
const PASSWORD = "a sentence that only tests use";

/** Mails are told to the test, which is the provider, too; the address of a client is whatever it says. */
const PROGRAM = `
import {
  createAuth, createOAuth2Provider, createUser, email, getAccessToken, getUser, issueOneTimeToken, passkey, passwords,
  redeemOneTimeToken, sealedTokens, startSession, waitUntil,
} from "@framework/auth";
import { mariadb } from "@framework/auth/mariadb";
import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
import { createPool } from "mysql2/promise";
import process from "node:process";

const database = mariadb(createPool(process.env.DATABASE_URL), { connectionTimeout: 60000, statementTimeout: 60000, requestTimeout: 0 });
const limiter = createRateLimiter(createSqlRateLimitStorage(database), {
  name: "race", limit: 30, window: 3600, by: "identifier",
});
async function tell(mail) {
  await (await fetch(process.env.OUTSIDE + "mails", { method: "POST", body: JSON.stringify(mail) })).text();
}
const auth = createAuth({
  database,
  baseUrl: process.env.BASE_URL,
  cookies: { sessionToken: { hostOnly: true } },
  session: { updateAge: 1 },
  secret: "a secret of at least thirty-two bytes",
  providerTokens: sealedTokens,
  providers: [
    // As soon as possible: how many are tried is the question, not how long one takes.
    passwords({
      sendMail: tell,
      hasher: {
        hash: (password) => Promise.resolve("$scrypt$" + password),
        verify: (password, hash) => Promise.resolve(hash === "$scrypt$" + password),
      },
    }),
    createOAuth2Provider({
      id: "provider",
      name: "Provider",
      clientId: "app",
      clientSecret: "a secret",
      authorization: process.env.OUTSIDE + "authorize",
      token: process.env.OUTSIDE + "token",
      userinfo: process.env.OUTSIDE + "me",
      profile: ({ name }) => ({ id: name, name, email: name + "@example.com", emailVerified: new Date() }),
    }),
    passkey({ signUp: true }),
    email({ from: "a@app.example", sendVerificationRequest: (mail) => tell({ ...mail, to: mail.identifier }), code: true }),
  ],
});
async function work(request) {
  const { pathname } = new URL(request.url);
  const [, what, which] = pathname.split("/");
  if (what === "signup") {
    await createUser({ id: which, email: which + "@example.com" });
    await startSession(which);
    return new Response("made");
  }
  if (what === "issue") return new Response(await issueOneTimeToken("race", which));
  if (what === "redeem") {
    return new Response((await redeemOneTimeToken("race", which))?.userId ?? "nothing");
  }
  if (what === "token") return new Response(await getAccessToken("provider"));
  if (what === "limit") {
    const { success } = await limiter.check(request, { identifier: which });
    return new Response("", { status: success ? 200 : 429 });
  }
  return new Response(getUser()?.id ?? "nobody");
}
Deno.serve({ port: Number(process.env.PORT), hostname: "127.0.0.1", onListen: () => console.log("listening") }, (request) =>
  auth.fetch(request, {}, {
    clientAddress: request.headers.get("x-test-address"),
    waitUntil,
    next: () => work(request),
  }));
`;

interface Mail {
  to: string;
  url: string;
  code?: string;
}

/** The provider of OAuth, whose codes are names, and the grants that it was asked to take. */
function createProvider() {
  const codes: string[] = [];
  const refreshed: string[] = [];
  let issued = 0;
  return {
    codes,
    refreshed,
    async answer(request: Request): Promise<Response> {
      if (request.method === "GET") {
        const [, token = ""] = /^Bearer (.*)$/.exec(request.headers.get("authorization")!)!;
        return Response.json({ name: token.split(" ")[0] });
      }
      const grant = new URLSearchParams(await request.text());
      const [code, refresh] = [grant.get("code"), grant.get("refresh_token")];
      if (refresh !== null) refreshed.push(refresh);
      else codes.push(code!);
      const [name] = (code ?? refresh)!.split(" ");
      issued++;
      return Response.json({
        access_token: `${name} access ${issued}`,
        refresh_token: `${name} refresh ${issued}`,
        token_type: "bearer",
        // The first one is over soon.
        expires_in: refresh === null ? 1 : 3600,
      });
    },
  };
}

interface Sent {
  fields?: Record<string, string>;
  cookie?: string;
  address?: string;
  accept?: string;
}

/** The answers that sign somebody in. */
function signedIn<Answer extends { cookies: string[] }>(answers: readonly Answer[]): Answer[] {
  return answers.filter(({ cookies }) => cookies.some((one) => one.includes("session-token")));
}

// Tracks: R143, F10, OP-08
Deno.test({
  name: `of many requests at once to several processes on one MariaDB, as many get through as may${
    programs === null ? ` [unavoidable: ${mariadbHint}]` : ""
  }`,
  ignore: programs === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startMariadb(programs!);
    const mails: Mail[] = [];
    const provider = createProvider();
    const sink = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        if (!request.url.endsWith("/mails")) return await provider.answer(request);
        mails.push(await request.json());
        return new Response();
      },
    );
    await Deno.mkdir(join(repositoryRoot, "tests/output"), { recursive: true });
    const program = join(repositoryRoot, "tests/output", `mariadb_races_${Deno.pid}.ts`);
    await Deno.writeTextFile(program, PROGRAM);
    const ports = Array.from({ length: PROCESSES }, freePort);
    // As behind one name: whoever asks, the origin is that of all.
    const origin = "http://localhost:8000";
    const children: Child[] = [];
    let calls = 0;

    async function send(
      path: string,
      { fields, cookie, address = "192.0.2.1", accept = "*/*" }: Sent = {},
    ) {
      const url = `http://127.0.0.1:${ports[calls++ % PROCESSES]}${path}`;
      const response = await fetch(url, {
        method: fields === undefined ? "GET" : "POST",
        headers: {
          origin,
          accept,
          "x-test-address": address,
          ...cookie !== undefined && { cookie },
        },
        redirect: "manual",
        ...fields && { body: new URLSearchParams(fields) },
      });
      const cookies = response.headers.getSetCookie().filter((line) => !/max-age=0/i.test(line))
        .map((line) => line.split(";")[0]!);
      const location = response.headers.get("location");
      return { status: response.status, text: await response.text(), location, cookies };
    }

    /** The answers to many at once, counted by their statuses. */
    async function atOnce(path: string, count: number, sent: (index: number) => Sent) {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, index) => send(path, sent(index))),
      );
      const counts: Record<number, number> = {};
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
      return { answers, counts };
    }

    async function mailTo(to: string): Promise<Mail> {
      await until(
        () => Promise.resolve(mails.some((mail) => mail.to === to)),
        () => `No mail to ${to}: ${children.map((child) => child.output()).join()}`,
      );
      return mails.findLast((mail) => mail.to === to)!;
    }

    try {
      for (const port of ports) {
        const child = startChild(Deno.execPath(), ["run", "-A", "--no-check", program], {
          cwd: repositoryRoot,
          env: {
            DATABASE_URL: `mysql://root@127.0.0.1:${server.port}/app`,
            OUTSIDE: `http://127.0.0.1:${sink.addr.port}/`,
            BASE_URL: origin,
            PORT: String(port),
          },
        });
        children.push(child);
      }
      await mariadb(server.pool).migrate!();
      await Promise.all(children.map((child) => child.waitFor(/listening/)));

      for (let round = 0; round < ROUNDS; round++) {
        const step = (name: string, work: () => Promise<void>) =>
          test.step(`${name}, round ${round}`, work);

        await step("the sign-up of one address", async () => {
          const { counts } = await atOnce(`/signup/one-${round}`, MANY, () => ({ fields: {} }));
          assert.deepEqual(counts, { 200: 1, 409: MANY - 1 });
        });

        await step("wrong passwords, of which five are tried", async () => {
          const email = `ada-${round}@example.com`;
          const asked = await send("/auth/signup", {
            fields: { email, password: PASSWORD, name: "Ada" },
            address: `192.0.3.${round}`,
          });
          const token = new URL((await mailTo(email)).url).searchParams.get("token")!;
          const cookie = asked.cookies.join("; ");
          const joined = await send("/auth/signup/confirm", { fields: { token }, cookie });
          assert.equal(joined.status, 303, joined.text);
          const { counts } = await atOnce("/auth/signin/passwords", MANY, () => ({
            fields: { email, password: "a wrong sentence of somebody" },
            address: `192.0.4.${round}`,
          }));
          assert.deepEqual(counts, { 401: 5, 429: MANY - 5 });
        });

        await step("a one-time token", async () => {
          const { text } = await send(`/issue/one-${round}`, { fields: {} });
          const { answers } = await atOnce(`/redeem/${text}`, MANY, () => ({ fields: {} }));
          const users = answers.filter(({ text }) => text !== "nothing");
          assert.deepEqual(users.map(({ text }) => text), [`one-${round}`]);
        });

        await step("the answer of a provider, and the refresh of its tokens", async () => {
          const name = `from-provider-${round}`;
          const address = `192.0.7.${round}`;
          const asked = await send("/auth/signin/provider", { fields: {}, address });
          const state = new URL(asked.location!).searchParams.get("state")!;
          const query = new URLSearchParams({ code: name, state });
          const { answers } = await atOnce(`/auth/callback/provider?${query}`, MANY, (index) => ({
            cookie: asked.cookies.join("; "),
            address: `198.18.${round}.${index}`,
          }));
          const [only, ...others] = signedIn(answers);
          assert.equal(others.length, 0);
          assert.deepEqual(provider.codes, [name]);
          const accounts = await server.ask(
            `SELECT expires_at AS end FROM accounts WHERE provider_account_id = '${name}'`,
          );
          assert.equal(accounts.length, 1);
          await until(
            () => Promise.resolve(Date.now() > Number(accounts[0]!.end)),
            () => "Time stands still",
          );

          const cookie = only!.cookies.join("; ");
          const { answers: tokens } = await atOnce("/token", MANY, () => ({ cookie }));
          assert.deepEqual(new Set(tokens.map(({ status }) => status)), new Set([200]));
          const [token, ...different] = new Set(tokens.map(({ text }) => text));
          assert.match(token!, new RegExp(`^${name} access \\d+$`));
          assert.deepEqual(different, []);
          assert.equal(provider.refreshed.length, 1);
          assert.match(provider.refreshed[0]!, new RegExp(`^${name} refresh \\d+$`));
          provider.codes.length = provider.refreshed.length = 0;
        });

        await step("a passkey and its copies, which have counted alike", async () => {
          const authenticator = createSoftwareAuthenticator();
          const address = `192.0.8.${round}`;
          const ask = async (what: string, fields: Record<string, string>) => {
            const path = `/auth/passkey/options/${what}`;
            const { text, cookies } = await send(path, {
              fields,
              accept: "application/json",
              address,
            });
            return { options: JSON.parse(text), cookie: cookies.join("; ") };
          };
          const { options, cookie } = await ask("register", { name: "Ada" });
          const credential = JSON.stringify(await authenticator.create(options, origin));
          const registered = await send("/auth/passkey/register", {
            fields: { credential },
            cookie,
            address,
          });
          assert.equal(signedIn([registered]).length, 1, registered.text);
          for (let use = 2; use < 2 + USES; use++) {
            // A use that nobody sees: all copies count alike from here on.
            authenticator.credentials[0]!.counter++;
            authenticator.behaviour.counts = false;
            const uses: Sent[] = [];
            for (let index = 0; index < COPIES; index++) {
              const asked = await ask("authenticate", {});
              const used = JSON.stringify(await authenticator.get(asked.options, origin));
              uses.push({
                fields: { credential: used },
                cookie: asked.cookie,
                address: `198.18.${50 * use + round}.${index}`,
              });
            }
            const { answers } = await atOnce(
              "/auth/signin/passkey",
              COPIES,
              (index) => uses[index]!,
            );
            assert.equal(signedIn(answers).length, 1, answers.map(({ status }) => status).join());
            const [row] = await server.ask(
              `SELECT counter FROM passkeys WHERE id = '${JSON.parse(credential).id}'`,
            );
            assert.equal(Number(row!.counter), use);
          }
        });

        await step("a mailed link, and wrong codes", async () => {
          const to = `link-${round}@example.com`;
          const address = `192.0.5.${round}`;
          const asked = await send("/auth/signin/email", { fields: { email: to }, address });
          const cookie = asked.cookies.join("; ");
          const fields = Object.fromEntries(new URL((await mailTo(to)).url).searchParams);
          const { answers } = await atOnce("/auth/callback/email", MANY, () => ({
            fields,
            cookie,
            address,
          }));
          assert.equal(answers.filter(({ status }) => status === 303).length, 1);
          assert.equal(signedIn(answers).length, 1);

          const other = `code-${round}@example.com`;
          const again = await send("/auth/signin/email", { fields: { email: other }, address });
          const { code } = await mailTo(other);
          const wrong = code === "000000" ? "000001" : "000000";
          const { counts } = await atOnce("/auth/callback/email/code", MANY, () => ({
            fields: { code: wrong },
            cookie: again.cookies.join("; "),
            address: `192.0.6.${round}`,
          }));
          // Those that came too late are compared with nothing, and refused like the others until they have a limit too.
          assert.deepEqual(counts, { 400: 10, 429: MANY - 10 });
          const tried = await server.ask(
            "SELECT MAX(attempts) AS most FROM verifications WHERE purpose = 'email-code'",
          );
          assert.equal(Number(tried[0]!.most), 5);
        });

        await step("mails to one mailbox, of which five are sent", async () => {
          const to = `mailbox-${round}@example.com`;
          const { counts } = await atOnce("/auth/signin/email", 50, (index) => ({
            fields: { email: to },
            address: `198.51.100.${index}`,
          }));
          assert.deepEqual(Object.keys(counts), ["303"]);
          const sent = () => mails.filter((mail) => mail.to === to).length;
          await until(() => Promise.resolve(sent() >= 5), () => `${sent()} mails`);
          // Behind all of them, by every process.
          await atOnce("/auth/signin/email", 8, (index) => ({
            fields: { email: `late-${round}-${index}@example.com` },
            address: `203.0.113.${index}`,
          }));
          for (let index = 0; index < 8; index++) {
            await mailTo(`late-${round}-${index}@example.com`);
          }
          assert.equal(sent(), 5);
        });

        await step("a limit of thirty", async () => {
          const { counts } = await atOnce(
            `/limit/all-${round}`,
            4 * MANY,
            () => ({ fields: {} }),
          );
          assert.deepEqual(counts, { 200: 30, 429: 4 * MANY - 30 });
        });

        await step("the renewal of a session, and its end among requests", async () => {
          const made = await send(`/signup/owner-${round}`, { fields: {} });
          const cookie = made.cookies.join("; ");
          const before = await server.ask(
            `SELECT refreshed_at AS at FROM sessions WHERE user_id = 'owner-${round}'`,
          );
          // After updateAge.
          await until(
            () => Promise.resolve(Date.now() > Number(before[0]!.at) + 1000),
            () => "Time stands still",
          );
          const { answers } = await atOnce("/", MANY, () => ({ cookie }));
          for (const { text } of answers) assert.equal(text, `owner-${round}`);
          assert.equal(signedIn(answers).length, 1);
          const [ended] = await Promise.all([
            send("/auth/signout", { fields: {}, cookie }),
            atOnce("/", MANY, () => ({ cookie })),
          ]);
          assert.equal(ended.status, 303);
          const after = await atOnce("/", 2 * PROCESSES, () => ({ cookie }));
          for (const { text } of after.answers) assert.equal(text, "nobody");
        });
      }
      for (const child of children) {
        assert.doesNotMatch(child.output(), /request-failed|STORAGE_UNAVAILABLE/);
      }
    } finally {
      for (const { pid, ended } of children) {
        try {
          Deno.kill(pid, "SIGKILL");
        } catch {
          // It has ended.
        }
        await ended;
      }
      await sink.shutdown();
      await server.stop();
      await Deno.remove(program);
    }
  },
});
