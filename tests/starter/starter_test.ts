import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { findChromium } from "../../scripts/chromium.ts";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { exists } from "../../scripts/workspace.ts";
import { launchBrowser } from "../support/browser.ts";
import { startChild } from "../support/child.ts";
import { createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { dumpLocalDatabase, openLocalDatabase } from "../support/local_database.ts";
import { inMatrix } from "../support/matrix.ts";
import { createStarter, type Starter } from "../support/starter.ts";
import { CEILING } from "../support/until.ts";
import { startServer } from "../cli/built_server.ts";
import { browserWalk } from "./browser_walk.ts";
import { visitors } from "./visitors.ts";
import { forgeries, walk } from "./walk.ts";
import { refusedInTeam, waysHttp } from "./ways_http.ts";
import { waysWalk } from "./ways_walk.ts";

const chromium = await findChromium();
let starter: Starter;

Deno.test.beforeAll(async () => {
  starter = await createStarter();
});

Deno.test.afterAll(async () => {
  await (starter as Starter | undefined)?.remove();
});

/** An identity provider for the application at this origin, and the variables that name it. */
async function startProvider(origin: string) {
  const provider = await startIdentityProvider({
    redirectUris: [`${origin}/auth/callback/company`],
  });
  const variables = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: DEMO_CLIENT.clientId,
    OIDC_CLIENT_SECRET: DEMO_CLIENT.clientSecret,
  };
  return { ...provider, variables };
}

/** A mail service for `app/_server/send_mail.ts`, which writes its mails as the terminal shows them in development. */
function startMailService() {
  let written = "";
  const key = crypto.randomUUID();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.headers.get("authorization") !== `Bearer ${key}`) {
      return new Response(null, { status: 401 });
    }
    const { from, to, subject, text, html } = await request.json();
    assert.equal(from, "my-app <hello@example.com>");
    assert.ok(html === undefined || html.includes("my-app"));
    written += `\nTo: ${to}\nSubject: ${subject}\n\n${text}\n`;
    return new Response();
  });
  const variables = {
    MAIL_URL: `http://127.0.0.1:${server.addr.port}/send`,
    MAIL_KEY: key,
    MAIL_FROM: "hello@example.com",
  };
  return { variables, mails: () => written, close: () => server.shutdown() };
}

/** Gives the starter an empty database with its tables: the one that its command made is kept for the next time. */
async function migrated(): Promise<void> {
  await starter.reset();
  const state = join(starter.root, ".wrangler");
  const kept = join(starter.root, "..", "migrated");
  if (await exists(kept)) return await cp(kept, state, { recursive: true });
  const { code, stdout, stderr } = await starter.framework("migrate", "up");
  assert.equal(code, 0, stdout + stderr);
  await cp(state, kept, { recursive: true });
}

// That its own tests, types and scripts pass, is seen in `packages/lone_node_test.ts` and `packages/lone_deno_test.ts`, as users install it.

Deno.test("the starter, built, signs its users in inside workerd with D1", async () => {
  await migrated();
  const unread = join(starter.root, "app/unread");
  await Deno.mkdir(unread);
  await Deno.writeTextFile(
    join(unread, "route.ts"),
    "export const POST = () => ({ read: false });\n",
  );
  const { code, stderr } = await starter.framework("build");
  await Deno.remove(unread, { recursive: true });
  assert.equal(code, 0, stderr);
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const provider = await startProvider(origin);
  const service = startMailService();
  const variables = { ...provider.variables, ...service.variables };
  const platform = startChild(Deno.execPath(), [
    ...["run", "-A", join(starter.root, "node_modules/wrangler/bin/wrangler.js"), "dev"],
    ...["--config", "dist/wrangler.json", "--port", String(port), "--ip", "127.0.0.1"],
    ...[
      "--persist-to",
      join(starter.root, ".wrangler/state"),
      "--show-interactive-dev-session=false",
    ],
    ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ], {
    cwd: starter.root,
    env: { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" },
  });
  try {
    await platform.waitFor(/Ready on/);
    const given = await walk(`http://127.0.0.1:${port}`, service.mails);
    const stored = dumpLocalDatabase(starter.root);
    assert.match(stored, /"sessions"/);
    for (const value of given) assert.ok(!stored.includes(value), "a cookie's value is stored");
    const { count } = rows("SELECT count(*) AS count FROM sessions")[0] ?? {};
    assert.equal(count, 1, "one session is left");
    for (const row of rows("SELECT * FROM sessions")) {
      for (const value of Object.values(row)) {
        const found = given.some((cookie) => typeof value === "string" && cookie.includes(value));
        assert.ok(!found, "no value of the table appears in a cookie");
      }
    }
    await waysHttp(origin, service.mails);
    // Tracks: R105
    const page = await fetch(`${origin}/auth/dev/mail`);
    assert.equal(page.status, 404, "what is built for production shows no mails");
    await page.body?.cancel();
    // wrangler fails the request behind such a body, and ends, where the worker leaves it.
    for (let turn = 0; turn < 12; turn++) {
      const body = "x".repeat(turn % 2 === 0 ? 3 : 100_000);
      const answer = await fetch(`${origin}/unread`, { method: "POST", headers: { origin }, body });
      assert.deepEqual([answer.status, await answer.text()], [200, '{"read":false}']);
    }
  } finally {
    await platform.stop();
    await service.close();
    await provider.close();
  }
});

for (const runtime of inMatrix ? ["Node 24", "Deno"] as const : []) {
  Deno.test({
    name: `the starter, built as one server, signs its users in on ${runtime}`,
    fn: async () => {
      const target = runtime === "Deno" ? "deno" : "node";
      const { code, stderr } = await starter.framework("build", "--target", target);
      assert.equal(code, 0, stderr);
      const port = freePort();
      const origin = `http://localhost:${port}`;
      const provider = await startProvider(origin);
      const service = startMailService();
      try {
        await using _server = await startServer(runtime, starter, {
          ...provider.variables,
          ...service.variables,
          AUTH_SECRET: "the secret of a test, which is long enough",
          PORT: String(port),
          BASE_URL: origin,
        });
        await walk(origin, service.mails);
        await waysHttp(origin, service.mails);
      } finally {
        await Deno.remove(join(starter.root, "data"), { recursive: true });
        await service.close();
        await provider.close();
      }
    },
  });
}

Deno.test("framework dev serves the starter, survives a broken save and recovers", async (t) => {
  await migrated();
  using blocker = occupy(8787);
  const dev = starter.start("dev");
  try {
    const [origin] = await dev.waitFor(/(?<=ready at )http:\/\/localhost:\d+/);
    const port = Number(new URL(origin).port);
    await t.step(
      "it has moved from the taken default port to the next free one and says so",
      () => {
        assert.match(dev.output(), /8787/);
        // Whoever else has the port may leave it before the server asks for it.
        if (blocker.holds) assert.notEqual(port, 8787);
      },
    );
    // What is built takes it above, and `packages/` does what a newcomer does with `framework dev`.
    if (inMatrix) await t.step("the walk", async () => void await walk(origin, dev.output));
    await t.step("a form that another site sent is refused", () => forgeries(origin));
    await t.step("a team refuses whom it does not know", () => refusedInTeam(origin, dev.output));
    await t.step("a page shows the mails", async () => {
      const mails = await (await fetch(`${origin}/auth/dev/mail`)).text();
      assert.match(mails, /Confirm your email address/);
    });
    await t.step("a foreign Host is refused", async () => {
      const response = await fetchWithHost(port, "evil.example");
      assert.match(response, /^HTTP\/1\.1 403/);
    });
    await t.step("a syntax error shows file, line and frame; the next save recovers", async () => {
      const page = join(starter.root, "app/page.tsx");
      const good = await Deno.readTextFile(page);
      const visitor = createClient(origin);
      try {
        await Deno.writeTextFile(page, good.replace("<h1>Your product", "<h1>Your <product"));
        await dev.waitFor(/app\/page\.tsx:\d+:\d+[^]*\d+ [│|].*Your <product/);
        const broken = await visitor.fetch("/", { headers: { accept: "text/html" } });
        assert.equal(broken.status, 500);
        assert.match(await broken.text(), /app\/page\.tsx/);
        await Deno.writeTextFile(page, good.replace("Your product starts here", "It is mended"));
        assert.match(await eventually(visitor, /It is mended/), /It is mended/);
      } finally {
        await Deno.writeTextFile(page, good);
      }
      assert.match(await eventually(visitor, /Your product starts/), /Your product starts here/);
    });
    // A day asks it of another application in `cli/dev_test.ts`.
    if (inMatrix) {
      await t.step("an explicit port that is taken is exit code 1", async () => {
        const { code, stderr } = await starter.framework("dev", "--port", String(port));
        assert.equal(code, 1);
        assert.match(stderr, new RegExp(String(port)));
      });
    }
  } finally {
    await dev.stop();
  }
});

// Tracks: R019, R030
Deno.test({
  name:
    "people click through the starter in Chromium: with scripts on a desktop, without on a phone" +
    (chromium ? "" : " (needs Chromium)"),
  ignore: chromium === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await migrated();
    const port = freePort();
    const origin = `http://localhost:${port}`;
    const provider = await startProvider(origin);
    const secrets = join(starter.root, ".dev.vars");
    const before = await Deno.readTextFile(secrets);
    const added = Object.entries(provider.variables).map(([name, value]) => `${name}=${value}\n`);
    await Deno.writeTextFile(secrets, before + added.join(""));
    const dev = starter.start("dev", "--port", String(port));
    const browser = await launchBrowser();
    try {
      await dev.waitFor(new RegExp(origin));
      for (const visitor of visitors) {
        // A push sees each walk once: the short one without scripts, and the other with all that they do, on the pages of
        // the starter's own.
        const hasScripts = visitor.options.javaScriptEnabled !== false;
        if (!hasScripts || inMatrix) {
          await t.step(
            visitor.name,
            () => browserWalk(browser, visitor, { origin, mails: dev.output, makeAdmin }),
          );
        }
        if (!hasScripts && !inMatrix) continue;
        const walk = { origin, issuer: provider.issuer };
        await t.step(
          `${visitor.name}: ${inMatrix ? "every way to sign in, teams, limits" : "limits, errors"}`,
          () => waysWalk(browser, visitor, { ...walk, mails: dev.output, change }),
        );
      }
    } finally {
      await browser.close();
      await dev.stop();
      await provider.close();
      await Deno.writeTextFile(secrets, before);
    }
  },
});

function rows(sql: string): Record<string, unknown>[] {
  const database = openLocalDatabase(starter.root);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function change(sql: string, ...values: string[]): void {
  const database = openLocalDatabase(starter.root);
  try {
    assert.ok(Number(database.prepare(sql).run(...values).changes) > 0, sql);
  } finally {
    database.close();
  }
}

function makeAdmin(email: string): void {
  change("UPDATE users SET role = 'admin' WHERE email = ?", email);
}

/** Holds a port of this machine's loopback addresses, as far as nobody else does already. */
function occupy(port: number): Disposable & { holds: boolean } {
  const listeners = ["127.0.0.1", "::1"].flatMap((hostname) => {
    try {
      return [Deno.listen({ hostname, port })];
    } catch {
      return [];
    }
  });
  return {
    holds: listeners.length > 0,
    [Symbol.dispose](): void {
      for (const listener of listeners) listener.close();
    },
  };
}

async function eventually(visitor: ReturnType<typeof createClient>, text: RegExp): Promise<string> {
  let last = "";
  const deadline = Date.now() + CEILING;
  while (Date.now() < deadline) {
    last = await (await visitor.fetch("/")).text();
    if (text.test(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return last;
}

async function fetchWithHost(port: number, host: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "localhost", port });
  const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(1024);
  const length = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, length ?? 0));
}
