import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createAuth, credentials, getUser, github } from "../auth/mod.ts";
import { createD1Double } from "../auth/tests/d1_double.ts";
import { repositoryRoot } from "./workspace.ts";

// Counts the source files of auth/ that one warm request enters: `deno run -A scripts/walks.ts --list`. Fewer are
// better for whoever follows a request through the code.

const ORIGIN = "http://localhost";
const INFO = { clientAddress: "203.0.113.7" };
/** Requests before the one that counts, so that work of the first request does not. */
const WARM = 2;

/** Answers as GitHub does when somebody signs in. */
function answerAsProvider(input: RequestInfo | URL): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const answers: Record<string, unknown> = {
    "/login/oauth/access_token": { access_token: "token", token_type: "bearer", scope: "user" },
    "/user": { id: 7, login: "ada", name: "Ada" },
    "/user/emails": [{ email: "ada@example.com", primary: true, verified: true }],
  };
  return Promise.resolve(Response.json(answers[pathname]));
}

const database = createD1Double();
const auth = createAuth({
  database,
  fetch: answerAsProvider,
  providers: [
    credentials({
      credentials: { pin: { label: "PIN", type: "password" } },
      authorize: () =>
        Promise.resolve({ id: "ada", email: null, name: "Ada", image: null, emailVerified: null }),
    }),
    github({ clientId: "app", clientSecret: "secret" }),
  ],
});

async function handle(path: string, init?: RequestInit): Promise<Response> {
  return (await auth.handle(new Request(ORIGIN + path, init), {}, INFO))!;
}

function post(path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return handle(path, { method: "POST", headers, body: JSON.stringify(body) });
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
}

function signIn(): Promise<Response> {
  return post("/auth/signin/credentials", { pin: "1234" });
}

function assertSession(response: Response): void {
  if (!cookieOf(response).includes("session")) throw new Error(`No session: ${response.status}`);
}

/** A sign-in at the provider, up to its answer; returns the callback that is still to be called. */
async function beginAtProvider(): Promise<() => Promise<void>> {
  const response = await post("/auth/signin/github", {});
  const state = new URL((await response.json()).redirectTo).searchParams.get("state");
  const path = `/auth/callback/github?code=code&state=${state}`;
  const headers = { cookie: cookieOf(response) };
  return async () => assertSession(await handle(path, { headers }));
}

/** Prepares the requests of a walk, each of which is then made by one call. */
const WALKS: Record<string, () => Promise<(() => Promise<void>)[]>> = {
  async "session read"() {
    const headers = { cookie: cookieOf(await signIn()) };
    const read = async () => {
      const request = new Request(ORIGIN, { headers });
      const response = await auth.run(request, {}, INFO, () => new Response(getUser()?.id));
      if (await response.text() !== "ada") throw new Error("Nobody is signed in");
    };
    return new Array(WARM + 1).fill(read);
  },
  "password sign-in"() {
    return Promise.resolve(new Array(WARM + 1).fill(async () => assertSession(await signIn())));
  },
  "OAuth callback"() {
    return Promise.all(Array.from({ length: WARM + 1 }, beginAtProvider));
  },
};

const profiler = new Session();
profiler.connect();
await profiler.post("Profiler.enable");
await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** Lists the files of which a request calls a function. What a module does when it is loaded is no function's call. */
async function follow(requests: (() => Promise<void>)[]): Promise<string[]> {
  const last = requests.pop()!;
  for (const request of requests) await request();
  // Counts begin anew with each report.
  await profiler.post("Profiler.takePreciseCoverage");
  await last();
  const { result } = await profiler.post("Profiler.takePreciseCoverage");
  const entered = result.filter(({ url, functions }) =>
    url.startsWith("file:") &&
    functions.some(({ ranges: [range] }) => range!.startOffset > 0 && range!.count > 0)
  );
  const files = entered.map(({ url }) => relative(repositoryRoot, fileURLToPath(url)));
  return files.filter((file) => /^auth[\\/](?!tests[\\/])/.test(file)).sort();
}

for (const [name, prepare] of Object.entries(WALKS)) {
  const files = await follow(await prepare());
  process.stdout.write(`${name}: ${files.length} files\n`);
  if (process.argv.includes("--list")) process.stdout.write(`  ${files.join("\n  ")}\n`);
}
profiler.disconnect();
database.close();
