import { type Auth, createApiKey, createUser, startSession } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { upgradeTables } from "@framework/auth/storage";
import { createTestAuthenticator } from "@framework/testing";
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

/** Each application of the page by the name in its first line. */
const applications = new Map(
  codeBlocks("docs/examples.md", await readDocument("docs/examples.md"))
    .map(({ text }) => [/^\/\/ ([\w.]+)\n/.exec(text)?.[1] ?? "", text] as const),
);
const tried = new Set<string>();

/** The application as its readers have it: a file of its own, beside the packages. */
async function load(name: string): Promise<Record<string, unknown>> {
  tried.add(name);
  const folder = await Deno.makeTempDir({
    prefix: "framework-examples-",
    dir: join(repositoryRoot, "tests", "output"),
  });
  try {
    const path = join(folder, name);
    await Deno.writeTextFile(path, applications.get(name)!);
    return await import(pathToFileURL(path).href);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

type Fetch = (request: Request, env: unknown, context: unknown) => Response | Promise<Response>;

const ORIGIN = "http://localhost:8000";

/** Somebody at an application, who keeps cookies, sends forms as its pages do, and prefers JSON. */
function visit(module: Record<string, unknown>, env: unknown = {}) {
  const { fetch: answer } = module["default"] as { fetch: Fetch };
  const jar = new Map<string, string>();
  return async function fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ accept: "application/json", origin: ORIGIN });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    if (jar.size > 0) headers.set("cookie", [...jar].map((pair) => pair.join("=")).join("; "));
    const request = new Request(new URL(path, ORIGIN), { ...init, headers });
    const response = await answer(request, env, { waitUntil() {}, passThroughOnException() {} });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
}

const form = (fields: Record<string, string>) => ({
  method: "POST",
  body: new URLSearchParams(fields),
});

/** What an application prints while it does something. */
async function printed(act: () => Promise<unknown>): Promise<string> {
  const { log } = console;
  const lines: string[] = [];
  // deno-lint-ignore no-console -- the examples print their mails.
  console.log = (...words: unknown[]) => void lines.push(words.join(" "));
  try {
    await act();
    for (let turn = 0; lines.length === 0 && turn < 500; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } finally {
    // deno-lint-ignore no-console -- as before.
    console.log = log;
  }
  return lines.join("\n");
}

const ADA = { email: "ada@example.com", password: "a few words are easiest" };

// Tracks: A-05
Deno.test("the example with passwords: somebody signs up by the link in the mail, out and in again", async () => {
  const fetch = visit(await load("passwords.ts"));
  const page = { headers: { accept: "text/html" } };
  const refused = await fetch("/dashboard", page);
  assert.equal(refused.status, 303);
  assert.match(refused.headers.get("location")!, /\/auth\/signin\?callbackUrl=%2Fdashboard$/);
  const mail = await printed(async () => {
    const response = await fetch("/auth/signup", form({ ...ADA, name: "Ada" }));
    assert.equal(response.status, 200, await response.text());
  });
  const [, url] = /^To ada@example\.com: (\S+)$/m.exec(mail)!;
  const token = new URL(url!).searchParams.get("token")!;
  assert.equal((await fetch("/auth/signup/confirm", form({ token }))).status, 200);
  assert.equal(await (await fetch("/dashboard")).text(), "Hello Ada");
  assert.equal((await fetch("/auth/account", page)).status, 200);
  await fetch("/auth/signout", form({}));
  const wrong = { ...ADA, password: "some other words" };
  assert.equal((await fetch("/auth/signin/passwords", form(wrong))).status, 401);
  assert.equal((await fetch("/auth/signin/passwords", form(ADA))).status, 200);
  assert.equal(await (await fetch("/dashboard")).text(), "Hello Ada");
});

Deno.test("the example with GitHub: the button leads there with PKCE, and an answer to no sign-in is refused", async () => {
  const DB = sqlite(new DatabaseSync(":memory:"));
  await upgradeTables(DB);
  const env = { DB, GITHUB_CLIENT_ID: "notes", GITHUB_CLIENT_SECRET: "secret" };
  const fetch = visit(await load("github.ts"), env);
  assert.equal(await (await fetch("/")).text(), "Hello stranger");
  const page = await fetch("/auth/signin", { headers: { accept: "text/html" } });
  assert.match(await page.text(), /GitHub/);
  const response = await fetch("/auth/signin/github", {
    ...form({}),
    headers: { accept: "text/html" },
  });
  const { origin, searchParams } = new URL(response.headers.get("location")!);
  assert.equal(origin, "https://github.com");
  assert.equal(searchParams.get("client_id"), "notes");
  assert.equal(searchParams.get("redirect_uri"), `${ORIGIN}/auth/callback/github`);
  assert.equal(searchParams.get("code_challenge_method"), "S256");
  const state = searchParams.get("state")!;
  const elsewhere = visit(await load("github.ts"), env);
  const foreign = await elsewhere(`/auth/callback/github?code=x&state=${state}`);
  assert.equal((await foreign.json()).code, "OAUTH_STATE_FOREIGN");
});

Deno.test("the example with passkeys: an account is made by one, which signs in again", async () => {
  const fetch = visit(await load("passkeys.ts"));
  const context = { origin: ORIGIN, fetch };
  const authenticator = createTestAuthenticator();
  const asPage = { headers: { accept: "text/html" } };
  assert.equal((await fetch("/", asPage)).status, 303);
  const page = await fetch("/auth/signin", { headers: { accept: "text/html" } });
  assert.doesNotMatch(await page.text(), /type="password"/);
  await authenticator.register(context, "Ada");
  assert.equal(await (await fetch("/")).text(), "Hello Ada");
  await fetch("/auth/signout", form({}));
  assert.equal((await fetch("/", asPage)).status, 303);
  await authenticator.signIn(context);
  assert.equal(await (await fetch("/")).text(), "Hello Ada");
});

Deno.test("the example with API keys: a key reads and writes its owner's notes, by its permissions", async () => {
  const module = await load("api.ts");
  const fetch = visit(module);
  const keys: string[] = [];
  const request = new Request(`${ORIGIN}/`, { method: "POST" });
  await (module["auth"] as Auth<unknown>).run(request, {}, undefined, async () => {
    await startSession((await createUser({ id: "ada" })).id);
    for (const permissions of [["notes:read"], ["notes:read", "notes:write"]]) {
      keys.push((await createApiKey({ name: "Program", permissions })).key);
    }
    return new Response();
  });
  const [reader, writer] = keys.map((key) => ({
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
  }));
  const note = { method: "POST", body: JSON.stringify({ text: "Less is more" }) };
  assert.equal((await fetch("/notes")).status, 401);
  assert.equal((await fetch("/notes", { ...note, headers: reader! })).status, 403);
  assert.equal((await fetch("/notes", { ...note, headers: writer! })).status, 200);
  const read = await fetch("/notes", { headers: reader! });
  assert.deepEqual(await read.json(), ["Less is more"]);
  assert.equal((await fetch("/notes", { method: "PUT", headers: writer! })).status, 405);
});

Deno.test("the example with SQLite: a server of Node's that keeps its users in a file", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-example-" });
  const before = { ...process.env };
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  Object.assign(process.env, {
    PORT: String(port),
    DATABASE: join(folder, "app.db"),
    BASE_URL: origin,
  });
  try {
    const server = (await load("server.ts"))["server"] as Server;
    if (!server.listening) await once(server, "listening");
    try {
      const client = createClient(origin);
      assert.equal(await (await client.fetch("/")).text(), "Hello stranger");
      const json = { accept: "application/json" };
      const mail = await printed(async () => {
        await (await client.post("/auth/signup", ADA, json)).body?.cancel();
      });
      const token = new URL(/^To \S+: (\S+)$/m.exec(mail)![1]!).searchParams.get("token")!;
      await (await client.post("/auth/signup/confirm", { token }, json)).body?.cancel();
      assert.equal(await (await client.fetch("/")).text(), "Hello ada@example.com");
    } finally {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
    const file = new DatabaseSync(join(folder, "app.db"));
    assert.equal(file.prepare("SELECT email FROM users").get()!["email"], ADA.email);
    file.close();
  } finally {
    for (const name of ["PORT", "DATABASE", "BASE_URL"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the example with a limit: the fourth request of a minute is told when to come again", async () => {
  const fetch = visit(await load("limited.ts"));
  for (const left of [2, 1, 0]) {
    const response = await fetch("/");
    assert.match(response.headers.get("ratelimit")!, new RegExp(`r=${left};`));
    assert.deepEqual(await response.json(), { quote: "Less is more." });
  }
  const refused = await fetch("/");
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
});

Deno.test("every application of the page was tried, and each of the table is on it or a page of its own", async () => {
  assert.deepEqual([...tried].sort(), [...applications.keys()].sort());
  const text = await readDocument("docs/examples.md");
  const rows = [...text.matchAll(/^\| \[[^\]]+\]\((#[\w-]+|\w+\.md)\) /gm)].map(([, link]) =>
    link!
  );
  assert.equal(rows.length, 10);
  assert.equal(rows.filter((link) => link.startsWith("#")).length, applications.size);
});
