// The section "The starter on PostgreSQL" of docs/node_and_deno.md, whose lines are followed here.
import assert from "node:assert/strict";
import { join } from "node:path";
import { starterApplication } from "../../cli/templates/starter_application.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { startServer } from "../cli/built_server.ts";
import { createFixtureApp } from "../cli/fixture_app.ts";
import { frameworkWith } from "../support/command_line.ts";
import { freePort } from "../support/free_port.ts";
import { startPostgres } from "../support/postgres.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

const file = "docs/node_and_deno.md";
const bin = await findPostgres();

/** Blocks of the section, which begin with `sh` of the shell or with the path of a file. */
async function sectionBlocks() {
  const [, section = ""] = (await readDocument(file)).split("### The starter on PostgreSQL\n");
  return codeBlocks(file, section.split(/^###? /m)[0]!);
}

Deno.test({
  name: `the starter runs on PostgreSQL as the guide says${
    bin === null ? `: ${postgresHint}` : ""
  }`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const server = await startPostgres(bin!);
    const DATABASE_URL = `postgres://framework@127.0.0.1:${server.port}/postgres`;
    try {
      await using app = await createFixtureApp(
        starterApplication({ name: "shop", version: "0.0.0" }),
      );
      const secrets = await Deno.readTextFile(join(app.root, ".dev.vars"));
      const run = (...args: string[]) => frameworkWith({ cwd: app.root, env: {} }, ...args);
      const [files, commands] = [new Set<string>(), new Set<string>()];
      for (const { language, text } of await sectionBlocks()) {
        const [first = ""] = text.split("\n");
        if (language !== "sh") {
          const path = /^(?:\/\/|--) (\S+)$/.exec(first)![1]!;
          files.add(path);
          await app.write(path, text);
          continue;
        }
        for (const line of text.trim().split("\n")) {
          if (line.startsWith("echo DATABASE_URL=")) {
            await app.write(".dev.vars", `${secrets}DATABASE_URL=${DATABASE_URL}\n`);
          }
          const command = /^npx framework (.+)$/.exec(line)?.[1];
          if (command === undefined) continue;
          commands.add(command);
          const { code, stdout, stderr } = await run(...command.split(" "));
          // The packages of this application are laid out by hand, of which doctor misses some.
          if (command !== "doctor") assert.equal(code, 0, `${line}\n${stderr}`);
          else assert.doesNotMatch(stdout, /✗ +(?:bindings|database|migrations)/, stdout);
        }
      }
      assert.deepEqual([...files], [
        "framework.config.ts",
        "wrangler.jsonc",
        "migrations/0002_application.sql",
      ]);
      assert.deepEqual([...commands], [
        "generate auth",
        "doctor",
        "migrate up",
        "build --target node",
      ]);
      const notices = (path: string) => Deno.readTextFileSync(join(app.root, "dist", path));
      assert.match(notices("third_party_notices.txt"), /^==== pg [\d.]+, MIT ====\n\n.*MIT/m);
      const served = notices("assets/third_party_notices.txt");
      assert.match(served, /^==== preact /m);
      assert.doesNotMatch(served, /^==== pg /m);
      const port = freePort();
      const origin = `http://localhost:${port}`;
      const env = {
        DATABASE_URL,
        AUTH_SECRET: "s".repeat(32),
        PASSKEY_DOMAIN: "localhost",
        PORT: String(port),
        BASE_URL: origin,
      };
      await using _built = await startServer("Node 22", app, env);
      assert.match(await (await fetch(`${origin}/auth/signup`)).text(), /shop/);
      const sent = await fetch(`${origin}/contact`, {
        method: "POST",
        redirect: "manual",
        headers: { origin },
        body: new URLSearchParams({ email: "ada@example.com", text: "Hello from a guide" }),
      });
      assert.equal(sent.status, 303, await sent.text());
      const { rows } = await server.admin.query("SELECT text FROM messages");
      assert.deepEqual(rows, [{ text: "Hello from a guide" }]);
    } finally {
      await server.stop();
    }
  },
});
