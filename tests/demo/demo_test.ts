import assert from "node:assert/strict";
import { join } from "node:path";
import { ADMINISTRATOR } from "../../scripts/demo_seed.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { signUp } from "../starter/mails.ts";
import { visitorOf } from "../starter/ways_http.ts";
import { type Child, startChild } from "../support/child.ts";
import { createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";

const account = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  password: "a few words are easiest",
};

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-demo-test-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function startDemo(...args: string[]): Child {
  return startChild(Deno.execPath(), ["run", "-A", "scripts/demo.ts", ...args], {
    cwd: repositoryRoot,
  });
}

/** Signs in at the identity provider of the demo as its administrator, by HTTP; gives the name. */
async function administratorAt(origin: string): Promise<string | undefined> {
  const visitor = visitorOf(origin);
  await visitor.signIn("company", { as: "grace" });
  for (const path of ["/admin", "/t/acme"]) {
    const page = await visitor.send(path);
    assert.equal(page.status, 200, `${path}: ${await page.text()}`);
  }
  return (await visitor.user())?.name;
}

/** Whom the demo has made in advance can sign in by password and at the provider, and is the same user. */
async function signsIn(origin: string): Promise<void> {
  const byPassword = createClient(origin);
  const { email, password } = ADMINISTRATOR;
  const response = await byPassword.post("/auth/signin/passwords", { email, password });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  const { name } = await (await byPassword.fetch("/api/me")).json();
  assert.equal(await administratorAt(origin), name);
  const unknown = await byPassword.fetch("/t/globex");
  await unknown.body?.cancel();
  assert.equal(unknown.status, 403, "no member of this team");
}

function isListening(port: number): Promise<boolean> {
  return Deno.connect({ hostname: "localhost", port }).then(
    (connection) => {
      connection.close();
      return true;
    },
    () => false,
  );
}

/** Process ids of everything that was started with a path in the folder (Linux). */
async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const command = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (command.includes(folder)) found.push(`${name} ${command.replaceAll("\0", " ")}`);
  }
  return found;
}

Deno.test("the demo scaffolds, serves and stops; the next run has its data", async () => {
  await withFolder(async (folder) => {
    const dir = join(folder, "app");
    const port = freePort();
    const origin = `http://localhost:${port}`;

    const first = startDemo("--dir", dir, "--port", String(port));
    await first.waitFor(/Stop +Ctrl-C/, 900);
    assert.match(first.output(), new RegExp(`Open +${origin}\n`));
    assert.ok(first.output().includes(dir), "says where the application is");
    await signUp(createClient(origin), account, first.output);
    const shown = await (await fetch(`${origin}/auth/dev/mail`)).text();
    assert.match(shown, /To ada@example\.com/);
    await signsIn(origin);
    assert.equal(await first.stop(), 0);
    assert.equal(await isListening(port), false);
    if (Deno.build.os === "linux") assert.deepEqual(await processesOf(dir), []);

    const left = [...Deno.readDirSync(dir)].map(({ name }) => name);
    assert.ok(!left.includes(".npmrc"), "the address of the build's registry is gone");
    assert.ok(!left.includes("deno.lock"), "no lock file names an address that is gone");

    const second = startDemo("--dir", dir, "--port", String(port));
    await second.waitFor(/Stop +Ctrl-C/, 300);
    assert.doesNotMatch(second.output(), /Installing/);
    const visitor = createClient(origin);
    const signedIn = await visitor.post("/auth/signin/passwords", account);
    await signedIn.body?.cancel();
    assert.equal(signedIn.status, 303);
    assert.equal(await administratorAt(origin), "Grace Hopper", "the provider is there again");
    assert.equal((await (await visitor.fetch("/api/me")).json()).email, account.email);

    const third = startDemo("--dir", dir, "--port", String(port));
    await assert.rejects(third.waitFor(/Stop +Ctrl-C/, 300), /before the program ended/);
    assert.equal(await third.stop(), 1, "the port that was asked for is taken");
    assert.equal(await second.stop(), 0);
  });
});

Deno.test("the demo refuses a folder that holds other files, and options that it does not know", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "thesis.txt"), "mine");
    const refused = startDemo("--dir", folder);
    await refused.waitFor(/holds files that are not of a demo/, 300);
    assert.equal(await refused.stop(), 1);
    const unknown = startDemo("--prot", "1");
    await unknown.waitFor(/Unknown option '--prot'/, 300);
    assert.equal(await unknown.stop(), 1);
  });
});
