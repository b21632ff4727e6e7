import { authSchema } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { framework, type Transcript } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { capture } from "../../scripts/run_command.ts";
import { createPackedApp } from "./packed_app.ts";
import { startFramework, stepsInOrder, until } from "./framework.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const config = (options: string): string =>
  `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig(${options});`;

const provider = (id: string): string =>
  `import { credentials } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(credentials({
  id: ${JSON.stringify(id)},
  credentials: { pin: { label: "PIN", type: "password", required: true } },
  authorize: () => Promise.resolve(null),
}));`;

const sound = {
  "app/page.tsx": "export default () => <p>public</p>;",
  "app/auth/config.ts": config('{ session: { strategy: "database" } }'),
  "app/auth/providers/credentials.ts": provider("credentials"),
  "tsconfig.json": JSON.stringify({ compilerOptions: { noEmit: true } }),
  // Types are not what is tried here.
  "node_modules/typescript/package.json": JSON.stringify({ bin: { tsc: "./bin/tsc" } }),
  "node_modules/typescript/bin/tsc": "process.exit(0);\n",
};

const teams = {
  "app/auth/rbac.ts": `import { defineRBAC } from "@framework/auth/convention";
export default defineRBAC({ roles: [{ id: "member", name: "Member", permissions: [] }] });`,
  "app/auth/tenant.ts": `import { defineTenancy } from "@framework/auth/tenant";
export default defineTenancy({ strategy: "path" });`,
  "app/auth/providers/team.ts": `import { teamPage } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(teamPage({ sendMail: () => {} }));`,
};

interface Fault {
  name: string;
  files: Record<string, string>;
  says: RegExp;
  /**
   * Commands beside `doctor` that it is tried with: they judge all of a kind by the same function, so that one of the
   * kind is enough. Default: none; in the matrix, all.
   */
  also?: readonly string[];
  /** True for one that differs from others of the list in its words alone. Default: false. */
  repeats?: boolean;
}

const COMMANDS = ["build", "deploy --dry-run", "typecheck"];

const faults: Fault[] = [
  {
    name: "tokens without a secret",
    repeats: true,
    files: { "app/auth/config.ts": config('{ session: { strategy: "jwt" } }') },
    says: /app\/auth\/config\.ts: .*"jwt" needs `secret`/,
  },
  {
    name: "a strategy that does not exist",
    repeats: true,
    files: { "app/auth/config.ts": config('{ session: { strategy: "jwtt" } }') },
    says: /app\/auth\/config\.ts: .*session\.strategy.*"jwtt"/,
  },
  {
    name: "an option that does not exist",
    repeats: true,
    files: { "app/auth/config.ts": config('{ basPath: "/auth" }') },
    says: /app\/auth\/config\.ts: Unknown option "basPath"\. Did you mean "basePath"\?/,
  },
  {
    name: "a provider under another name",
    repeats: true,
    files: { "app/auth/providers/other.ts": provider("custom") },
    says: /app\/auth\/providers\/other\.ts makes a provider with the id "custom"/,
  },
  {
    name: "a provider under another name, beside one that the environment makes",
    files: {
      "app/auth/providers/other.ts": provider("custom"),
      "app/auth/providers/credentials.ts": `import { passkey } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(passkey((env: { RP_ID: string }) => ({
  id: "credentials",
  rpId: env.RP_ID,
  origin: \`https://\${env.RP_ID}\`,
})));`,
      ".dev.vars": "RP_ID=app.example\n",
    },
    says:
      /(?<!environment of .*)app\/auth\/providers\/other\.ts makes a provider with the id "custom"/,
  },
  {
    name: "a provider without its clientId",
    files: {
      "app/auth/providers/github.ts": `import { codeHostProvider } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(codeHostProvider({ clientSecret: "s" } as never));`,
    },
    says:
      /app\/auth\/providers\/github\.ts: .*clientId[^]* About CONFIGURATION: node_modules\/@framework\/auth\/docs\/error_codes\.md:\d+/,
  },
  {
    name:
      "an option of a provider that is made of the environment, and has the name of one of the configuration",
    files: {
      "app/auth/providers/outbox.ts": `import { outbox } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import { webhook } from "@framework/auth/webhooks";
export default defineProvider((env: { WEBHOOK_SECRET: string }) => outbox({
  destinations: [webhook({ url: "https://hooks.example/auth", secret: env.WEBHOOK_SECRET })],
}));`,
      ".dev.vars": "WEBHOOK_SECRET=short\n",
    },
    says: /app\/auth\/providers\/outbox\.ts: Wrong option "secret": .*whsec_/,
  },
  {
    name: "a permission that is none",
    repeats: true,
    files: {
      "app/auth/rbac.ts": `import { defineRBAC } from "@framework/auth/convention";
export default defineRBAC({ roles: [{ id: "editor", name: "Editor", permissions: ["posts"] }] } as never);`,
    },
    says: /app\/auth\/rbac\.ts: .*posts/,
  },
  {
    name: "a fault that the environment has no part in, beside a secret that it has",
    repeats: true,
    files: {
      "app/auth/config.ts": config(
        '(env) => ({ secret: env.AUTH_SECRET, session: { strategy: "jwtt" } })',
      ),
    },
    says: /app\/auth\/config\.ts: .*session\.strategy/,
  },
  {
    name:
      "a fault that the environment has no part in, beside an address that it has and a secret that it lacks",
    files: {
      "app/auth/config.ts": config(
        "(env) => ({ secret: env.AUTH_SECRET, baseUrl: env.SITE, session: { maxAge: -1 } })",
      ),
      ".dev.vars": "SITE=https://app.example\n",
    },
    says: /(?<!environment of .*)app\/auth\/config\.ts: .*session\.maxAge/,
  },
  {
    name: "a secret of .dev.vars that is too short, beside an address",
    repeats: true,
    files: {
      "app/auth/config.ts": config("(env) => ({ secret: env.AUTH_SECRET, baseUrl: env.SITE })"),
      ".dev.vars": "SITE=https://app.example\nAUTH_SECRET=short\n",
    },
    says: /fails with the environment of \.dev\.vars.*secret/,
  },
  {
    name: "an address of .dev.vars that is none, beside a secret",
    files: {
      "app/auth/config.ts": config("(env) => ({ secret: env.AUTH_SECRET, baseUrl: env.SITE })"),
      ".dev.vars": "SITE=nonsense\nAUTH_SECRET=0123456789abcdef0123456789abcdef\n",
    },
    says: /fails with the environment of \.dev\.vars.*baseUrl/,
  },
  {
    // The installed command below says it in every run.
    name: "a secret of .dev.vars that is too short",
    repeats: true,
    files: {
      "app/auth/config.ts": config("(env) => ({ secret: env.AUTH_SECRET })"),
      ".dev.vars": "AUTH_SECRET=short\n",
    },
    says:
      /fails with the environment of \.dev\.vars and wrangler\.jsonc: app\/auth\/config\.ts: .*secret[^]*It reads AUTH_SECRET\./,
  },
  {
    name: "a secret that .dev.vars lacks",
    files: {
      "app/auth/config.ts": config(
        '(env) => ({ secret: env.AUTH_SECRET, session: { strategy: "jwt" } })',
      ),
      ".dev.vars": "OTHER=1\n",
    },
    says: /fails with the environment of \.dev\.vars[^]*AUTH_SECRET is not set there/,
    // The tests below ask `build`, and `deploy` with the variables of an environment.
    also: ["typecheck"],
  },
  {
    name: "teamPage() without roles of teams",
    repeats: true,
    files: teams,
    says: /teamPage\(\) needs the roles of teams.+ \(app\/auth\/rbac\.ts\): teamRoles: \[/,
  },
  {
    name: "callback.ts",
    files: { "app/auth/callback.ts": "export default { signIn: () => false };" },
    says: /app\/auth\/callback\.ts is not read: this file must be named callbacks\.ts/,
    also: COMMANDS,
  },
  {
    name: "provider/",
    files: { "app/auth/provider/pin.ts": provider("pin") },
    says: /app\/auth\/provider is not read: this folder must be named providers/,
  },
];

function failsWith({ code, stdout, stderr }: Transcript, says: RegExp): void {
  assert.match(stdout + stderr, says);
  assert.equal(code, 2);
}

for (const { name, files, says, also = [], repeats = false } of faults) {
  if (repeats && !inMatrix) continue;
  const commands = ["doctor", ...inMatrix ? COMMANDS : also];
  Deno.test(`${commands.join(", ")}: ${name} is refused with exit code 2`, async () => {
    // Tracks: SP-W1, SP-W3
    await using app = await createPackedApp({ ...sound, ...files });
    for (const command of commands) {
      failsWith(await framework(app.root, ...command.split(" ")), says);
    }
  });
}

Deno.test("build, doctor and dev refuse a database that wrangler.jsonc lacks, naming framework.config.ts", async () => {
  // Tracks: AB-16
  await using app = await createPackedApp({
    ...sound,
    "framework.config.ts": 'export default { database: "DB2" };',
  });
  const says =
    /framework\.config\.ts: database is "DB2", but wrangler\.jsonc declares no D1 database/;
  failsWith(await framework(app.root, "build"), says);
  failsWith(await framework(app.root, "doctor"), says);
  failsWith(await framework(app.root, "dev", "--port", "0"), says);
});

Deno.test("deploy --env judges by the variables of that environment, and build by the bindings of all", async () => {
  // Tracks: SP-W1
  await using app = await createPackedApp({
    ...sound,
    "app/auth/config.ts": config("(env) => ({ session: { strategy: env.STRATEGY } })"),
    "wrangler.jsonc": JSON.stringify({
      name: "fixture",
      compatibility_date: "2026-07-30",
      compatibility_flags: ["nodejs_compat"],
      vars: { STRATEGY: "database" },
      env: { staging: { vars: { STRATEGY: "jwtt" }, d1_databases: [{ binding: "DB" }] } },
    }),
  });
  const built = await framework(app.root, "build");
  assert.equal(built.code, 0, built.stderr);
  failsWith(
    await framework(app.root, "deploy", "--dry-run", "--env", "staging"),
    /fails with the environment of wrangler\.jsonc.*session\.strategy[^]*It reads STRATEGY\./,
  );
});

Deno.test("dev takes up each change of app/auth", async (t) => {
  await using app = await createPackedApp({
    ...sound,
    "app/auth/config.ts": config('{ session: { strategy: "jwtt" } }'),
    "app/broken/page.tsx": `import { StorageUnavailableError } from "@framework/auth";
export function loader() { throw new StorageUnavailableError("No connection"); }
export default () => <p>never</p>;`,
    "migrations/0001_auth.sql": authSchema.up,
  });
  const documents = "node_modules/@framework/auth/docs/error_codes.md";
  const lines = readFileSync(join(app.root, documents), "utf8").split("\n");
  /** Place at which the documents of the installed package explain a code. */
  const place = (code: string): string =>
    `About ${code}: ${documents}:${lines.indexOf(`### ${code}`) + 1}`;
  const migrated = await framework(app.root, "migrate", "up");
  assert.equal(migrated.code, 0, migrated.stderr);
  const child = startFramework(app.root, "dev", "--port", "0");
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const [terminal, origin] = await child.waitFor(/[^]*(http:\S+) shows this error until/);
  const page = async (path = "/"): Promise<string> =>
    await (await fetch(new URL(path, origin), { headers: { accept: "text/html" } })).text();
  const test = stepsInOrder(t);

  await test("dev says where the installed documents explain a wrong configuration", async () => {
    assert.ok(terminal!.includes(place("CONFIGURATION")), terminal);
    assert.ok((await page()).includes(place("CONFIGURATION")));
  });

  // Tracks: SP-W1
  await test("dev shows a page that says what is wrong in app/auth, until it is right", async () => {
    assert.match(await page(), /app\/auth\/config\.ts: .*session\.strategy/);
    await app.write(".dev.vars", "AUTH_SECRET=short\n");
    await app.write("app/auth/config.ts", config("(env) => ({ secret: env.AUTH_SECRET })"));
    await until(() => page(), (text) => /fails with the environment of \.dev\.vars/.test(text));
    await app.write(".dev.vars", `AUTH_SECRET=${"s".repeat(32)}\n`);
    await until(() => page(), (text) => /<p>public<\/p>/.test(text));
  });

  await test("dev says where they explain an error with a code, once in the terminal, and above each page", async () => {
    const pointer = place("STORAGE_UNAVAILABLE");
    await until(() => page("/broken"), (text) => text.includes(pointer));
    assert.ok((await page("/broken")).includes(pointer));
    const [terminal] = await child.waitFor(
      new RegExp(`[^]*${pointer.replaceAll(/[/.]/g, "\\$&")}[^]*failed\\. StorageUnavailableError`),
    );
    assert.equal(terminal!.split(pointer).length, 2);
  });

  await test("dev shows the mails of passwords() in the terminal and at /auth/dev/mail", async () => {
    await app.write("app/auth/providers/passwords.ts", passwordProvider(""));
    await until(() => page("/auth/signup"), (text) => /type="password"/.test(text));
    const asked = await fetch(`${origin}/auth/signup`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: origin! },
      body: new URLSearchParams({ email: "ada@example.com", password: "a sentence for tests" }),
    });
    const text = await asked.text();
    assert.equal(asked.status, 303, text);
    await child.waitFor(/To: ada@example\.com[^]*\/auth\/signup\/confirm\?token=/);
    assert.match(
      await page("/auth/dev/mail"),
      /To ada@example\.com[^]*\/auth\/signup\/confirm\?token=/,
    );
    const forwarded = await fetch(`${origin}/auth/dev/mail`, { headers: { via: "1.1 proxy" } });
    assert.equal(forwarded.status, 404);
    await forwarded.body?.cancel();
  });
});

// Above, the command itself is of the sources.
Deno.test({
  name: `the installed command refuses the same, on Deno and Node${
    nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
  }`,
  ignore: !nodeIsAvailable,
  async fn() {
    await using app = await createPackedApp({
      "app/page.tsx": sound["app/page.tsx"],
      "app/auth/config.ts": config("{ session: { strategy: 'jwtt' } }"),
    });
    const { newest } = await findNodes();
    const main = join(app.root, "node_modules", "@framework", "cli", "main.js");
    const build = async (): Promise<string> => {
      const said = [
        await capture(Deno.execPath(), ["run", "-A", main, "build"], { cwd: app.root }),
        await capture(newest, [main, "build"], { cwd: app.root }),
      ];
      const texts = said.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`);
      // What it built, and how long it took, is no part of what it refuses.
      const [onDeno, onNode] = texts.map((text) => text.replace(/(✓ Built )[^]*/, "$1"));
      assert.equal(onNode, onDeno);
      assert.doesNotMatch(onNode!, /LOUD/);
      return onNode!;
    };
    if (inMatrix) {
      assert.match(await build(), /^2 [^]*app\/auth\/config\.ts: .*session\.strategy/);
      // On Workers alone it is known under which hosts requests come.
      await app.write("app/auth/config.ts", config("(env) => ({ secret: env.AUTH_SECRET })"));
      await app.write("app/auth/providers/passwords.ts", passwordProvider(""));
      assert.match(await build(), /^2 [^]*app\/auth\/providers\/passwords\.ts: .*no "sendMail"/);
    }
    // What is judged with the environment passes through all that the others do.
    await app.write(
      "app/auth/config.ts",
      config("(env) => (console.log('LOUD'), { secret: env.AUTH_SECRET })"),
    );
    await app.write("app/auth/providers/passwords.ts", passwordProvider("{ sendMail: () => {} }"));
    await app.write(".dev.vars", "AUTH_SECRET=short\n");
    assert.match(
      await build(),
      /^2 [^]*fails with the environment of \.dev\.vars and wrangler\.jsonc: app\/auth\/config\.ts: .*secret[^]*It reads AUTH_SECRET\./,
    );
    if (!inMatrix) return;
    await app.write(".dev.vars", `AUTH_SECRET=${"s".repeat(32)}\n`);
    assert.match(await build(), /^0 /);
  },
});

const passwordProvider = (options: string): string =>
  `import { passwords } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
export default defineProvider(passwords(${options}));`;

// Tracks: R105
Deno.test("passwords() without sendMail is for development: a build refuses it, and holds no page of mails", async (t) => {
  const file = "app/auth/providers/passwords.ts";
  await using app = await createPackedApp({ ...sound, [file]: passwordProvider("") });
  failsWith(
    await framework(app.root, "build"),
    /app\/auth\/providers\/passwords\.ts: .*no "sendMail"[^]*passwords\(\{ sendMail:/,
  );
  for (const command of ["doctor", ...inMatrix ? ["typecheck"] : []]) {
    const { stdout, stderr } = await framework(app.root, command);
    assert.doesNotMatch(stdout + stderr, /sendMail/);
  }
  await app.write(file, passwordProvider("{ sendMail: () => {} }"));
  await stepsInOrder(t)(
    "an application that is in order, or that only the platform has the secrets of, is built",
    async () => {
      await app.write(
        "app/auth/config.ts",
        `import { env as ambient } from "cloudflare:workers";
import { defineAuthConfig } from "@framework/auth/convention";
console.log("loaded", typeof ambient);
export default defineAuthConfig((env) => ({
  secret: env.AUTH_SECRET,
  baseUrl: env.BASE_URL,
  session: { strategy: "jwt" },
  trustedOrigins: env.LIST.names(),
}));`,
      );
      const { code, stderr } = await framework(app.root, "build");
      assert.equal(code, 0, stderr);
    },
  );
  const folder = join(app.root, "dist");
  const built = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js")
  );
  const worker = built.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  assert.match(worker, /\/signup\/confirm/);
  assert.doesNotMatch(worker, /In development mails are shown here/);
});
