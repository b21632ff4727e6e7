import { apiKeys, createApiKey, createAuth, createUser, startSession } from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { sqlite } from "@framework/auth/sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type Contender, runRounds } from "./rounds.ts";

// One program for Deno and Node; its argument is the folder of the other library.

const ORIGIN = "https://app.example";

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A way to check a key, and how many of a hundred checks at once of a key with a limit of five pass. */
interface Measured extends Contender {
  passed: number;
}

const AT_ONCE = 100;
const LIMIT = 5;

/** The library: a whole request with a guard, of a key of a user. */
async function own(): Promise<Measured> {
  const database = sqlite(new DatabaseSync(":memory:"));
  const auth = createAuth({
    database,
    baseUrl: ORIGIN,
    providers: [apiKeys({ prefix: "acme" })],
  });
  await auth.migrate();
  let key = "";
  let limited = "";
  await auth.run(new Request(ORIGIN, { method: "POST" }), {}, undefined, async () => {
    await startSession((await createUser({ id: "ada", name: "Ada" })).id);
    ({ key } = await createApiKey({ name: "Bench" }));
    const limit = { limit: LIMIT, window: 60 };
    ({ key: limited } = await createApiKey({ name: "Limited", limit }));
    return new Response();
  });
  const guard = authMiddleware({ apiKey: true });
  const requestWith = (key: string) =>
    new Request(`${ORIGIN}/api`, { headers: { authorization: `Bearer ${key}` } });
  const next = () => Promise.resolve(new Response());
  const ask = (request: Request) =>
    auth.run(request, {}, undefined, (context) => guard(request, next, context));
  const request = requestWith(key);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => ask(requestWith(limited))),
  );
  return {
    name: "own",
    passed: answers.filter(({ status }) => status === 200).length,
    async run() {
      const response = await ask(request);
      if (response.status !== 200) throw new Error(String(response.status));
    },
  };
}

/** Part of Better Auth that is measured. */
interface BetterAuth {
  api: {
    signUpEmail(input: { body: Record<string, string> }): Promise<{ user: { id: string } }>;
    createApiKey(input: { body: Record<string, unknown> }): Promise<{ key: string }>;
    verifyApiKey(input: { body: { key: string } }): Promise<{ valid: boolean }>;
  };
  $context: Promise<{ runMigrations(): Promise<void> }>;
}

/** Better Auth: `verifyApiKey()` alone, without a request around it. */
async function other(modules: string): Promise<Measured> {
  const load = (path: string) => import(pathToFileURL(`${modules}/${path}`).href);
  const [{ betterAuth }, { apiKey }] = await Promise.all([
    load("better-auth/dist/index.mjs"),
    load("@better-auth/api-key/dist/index.mjs"),
  ]);
  const auth: BetterAuth = betterAuth({
    baseURL: ORIGIN,
    secret: "a secret of the benchmark, 32 bytes or more",
    database: new DatabaseSync(":memory:"),
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    emailAndPassword: { enabled: true },
    plugins: [apiKey()],
  });
  await (await auth.$context).runMigrations();
  const body = { name: "Ada", email: "ada@example.com", password: "difference-engine" };
  const { user } = await auth.api.signUpEmail({ body });
  const of = { userId: user.id };
  const { key } = await auth.api.createApiKey({
    body: { name: "Bench", ...of, rateLimitEnabled: false },
  });
  const rule = { rateLimitEnabled: true, rateLimitMax: LIMIT, rateLimitTimeWindow: 60_000 };
  const { key: limited } = await auth.api.createApiKey({
    body: { name: "Limited", ...of, ...rule },
  });
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => auth.api.verifyApiKey({ body: { key: limited } })),
  );
  return {
    name: "other",
    passed: answers.filter(({ valid }) => valid).length,
    async run() {
      const { valid } = await auth.api.verifyApiKey({ body: { key } });
      if (!valid) throw new Error("The key is refused");
    },
  };
}

const contenders = [await own(), await other(process.argv[2]!)];
const timings = await runRounds(contenders, { rounds: 40, jobs: 300, clock: cpuTime });
const passed = contenders.map((one) => one.passed);
process.stdout.write(JSON.stringify({ timings, passed }));
