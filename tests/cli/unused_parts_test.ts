import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { framework } from "../support/command_line.ts";
import { createPackedApp } from "./packed_app.ts";

const plain = {
  "app/page.tsx": "export default () => <p>Plain</p>;",
  // It puts the name of the query builder together.
  "app/hidden/page.tsx":
    "export const loader = ({ context }) => context[['d', 'b'].join('')].selectFrom;\nexport default () => <p />;",
  "app/guarded/page.tsx": `export const loader = ({ context }) => context.auth.requireAuth();
export default () => <p>Guarded</p>;`,
  "node_modules/theme/package.json":
    '{ "name": "theme", "type": "module", "exports": "./theme.js" }',
  "node_modules/theme/theme.js":
    "export const themeOf = ({ cookies }) => cookies.get('theme') ?? 'light';\n",
  "tsconfig.json": JSON.stringify({ compilerOptions: { jsxImportSource: "@framework/cli" } }),
};

/** Page that hands its context to the package. */
const themed = `import { themeOf } from "theme";
export const loader = ({ context }) => themeOf(context);
export default ({ data }) => <p>{data}</p>;`;

const counting = `export async function loader({ context: { db } }) {
  return await db.selectFrom("sqlite_schema").select(db.fn.countAll().as("tables")).executeTakeFirst();
}
export default ({ data }) => <p>{data.tables}</p>;`;

// What each part alone has.
const COOKIES = /has a maxAge that is not/;
const DATABASE = /selectFrom\(/;
const AUTH = /INSERT INTO sessions/;
const PASSKEYS = /webauthn\.create/;
const CERTIFICATES = /BEGIN CERTIFICATE/;

Deno.test({
  name:
    "a worker has the code for cookies, context.db and sign-in when something in it can use them, and else is smaller",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using app = await createPackedApp(plain);
    const build = async (): Promise<{ code: string; bytes: number }> => {
      const { code, stderr } = await framework(app.root, "build");
      assert.equal(code, 0, stderr);
      const text = await Deno.readTextFile(join(app.root, "dist/worker.js"));
      return { code: text, bytes: gzipSync(text, { level: 9 }).byteLength };
    };
    const without = await build();
    assert.doesNotMatch(without.code, /FRAMEWORK_WITHOUT/);
    for (const part of [COOKIES, DATABASE, AUTH]) assert.doesNotMatch(without.code, part);
    const said: string[] = [];
    const paths = ["/", "/hidden", "/guarded"];
    const [home, , guarded] = await ask(without.code, { paths, said });
    assert.match(home!, /<p>Plain<\/p>/);

    await t.step(
      "what is not there: the query builder is named, and nobody is signed in",
      () => {
        assert.match(guarded!, /401|[Ss]ign in/);
        assert.match(
          said.join("\n"),
          /built without context\.db, because none of its files names `db`/,
        );
      },
    );
    await t.step("cookies, for a package that takes them from the context", async () => {
      await app.write("app/page.tsx", themed);
      const built = await build();
      assert.match(built.code, COOKIES);
      assert.doesNotMatch(built.code, DATABASE);
      const [dark] = await ask(built.code, { headers: { cookie: "theme=dark" } });
      assert.match(dark!, /<p>dark<\/p>/);
      const saved = built.bytes - without.bytes;
      assert.ok(saved > 1_000, `${saved} bytes are saved`);
    });
    await t.step("the query builder", async () => {
      await app.write("app/page.tsx", counting);
      const built = await build();
      assert.match(built.code, DATABASE);
      assert.doesNotMatch(built.code, COOKIES);
      const [counted] = await ask(built.code);
      assert.match(counted!, /<p>\d<\/p>/);
      const saved = built.bytes - without.bytes;
      assert.ok(saved > 20_000, `${saved} bytes are saved`);
    });
    await t.step("authentication", async () => {
      await app.write(
        "app/auth/config.ts",
        'import { defineAuthConfig } from "@framework/auth/convention";\n' +
          "export default defineAuthConfig({});\n",
      );
      const built = await build();
      assert.match(built.code, AUTH);
      assert.doesNotMatch(built.code, PASSKEYS);
      const saved = built.bytes - without.bytes;
      assert.ok(saved > 15_000, `${saved} bytes are saved`);
    });
    await t.step(
      "passkeys, without the certificates of makers, which nobody asks for",
      async () => {
        await app.write(
          "app/auth/providers/passkey.ts",
          'import { passkey } from "@framework/auth";\nexport default passkey({ rpName: "Fixture" });\n',
        );
        const built = await build();
        assert.match(built.code, PASSKEYS);
        assert.doesNotMatch(built.code, CERTIFICATES);
        assert.match(built.code, /verifyAttestationTPM\(\) is not in this worker/);
      },
    );
    await t.step("certificates, for code that verifies passkeys itself", async () => {
      await app.write(
        "app/attested/route.ts",
        'import { verifyRegistrationResponse } from "@simplewebauthn/server";\n' +
          "export const POST = async (request) => verifyRegistrationResponse(await request.json());\n",
      );
      const built = await build();
      assert.match(built.code, CERTIFICATES);
      assert.doesNotMatch(built.code, /is not in this worker/);
    });
  },
});

/** Asks the built worker for its pages. What it logs is added to a list. */
async function ask(
  script: string,
  { paths = ["/"], headers = {}, said = [] }: {
    paths?: string[];
    headers?: Record<string, string>;
    said?: string[];
  } = {},
): Promise<string[]> {
  const miniflare = new Miniflare({
    cf: false,
    handleStructuredLogs: ({ message }: { message: string }) => void said.push(message),
    modules: true,
    script,
    d1Databases: ["DB"],
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
  });
  try {
    const texts: string[] = [];
    for (const path of paths) {
      const response = await miniflare.dispatchFetch(`http://localhost${path}`, { headers });
      texts.push(await response.text());
    }
    return texts;
  } finally {
    await miniflare.dispose();
  }
}
