import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { createPasskeyBrowser } from "../../auth/tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import { bundleEntries } from "../support/bundle.ts";

const ORIGIN = "https://app.example";

// Tracks: R109, F09
Deno.test({
  name:
    "passkeys in a worker of one file, minified, with D1: sign-up, sign-in, 100 answers at once, removal",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const entry = fileURLToPath(new URL("./worker.ts", import.meta.url));
    const files = await bundleEntries([entry], { minify: true });
    assert.equal(files.length, 1, "what verifies passkeys is in the same file");
    const { text } = files[0]!;
    // Large, as the README says; the free plan of workers takes 3 MB.
    assert.ok(gzipSync(text).length < 160_000, `${gzipSync(text).length} bytes compressed`);
    const miniflare = new Miniflare({
      modules: [{ type: "ESModule", path: "worker.mjs", contents: text }],
      modulesRoot: "/",
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      d1Databases: { DB: "auth" },
    });
    try {
      const database = await miniflare.getD1Database("DB");
      const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter((sql) =>
        sql !== ""
      );
      await database.batch(statements.map((sql) => database.prepare(sql)));
      const open = () =>
        createPasskeyBrowser({
          async send(path, { method, fields, cookie, headers }) {
            const reply = await miniflare.dispatchFetch(`${ORIGIN}/auth${path}`, {
              method: method ?? (fields === undefined ? "GET" : "POST"),
              redirect: "manual",
              headers: {
                origin: ORIGIN,
                ...headers,
                ...(cookie !== undefined && { cookie }),
                ...(fields && { "content-type": "application/x-www-form-urlencoded" }),
              },
              ...(fields && { body: new URLSearchParams(fields).toString() }),
            });
            return reply as unknown as Response;
          },
        });
      const authenticator = createSoftwareAuthenticator();
      const desk = open();
      const made = await desk.register(authenticator, { ask: { name: "Ada" } });
      assert.equal(made.status, 200, await made.clone().text());
      const { user } = await made.json();
      const visitor = open();
      assert.equal((await visitor.prove(authenticator)).status, 200);
      assert.equal(await visitor.user(), user.id);
      const other = open();
      const proof = await authenticator.get(await other.signInOptions(), ORIGIN);
      const fields = { credential: JSON.stringify(proof) };
      const replies = await Promise.all(
        Array.from({ length: 100 }, () => other.send("/signin/passkey", { fields })),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      assert.equal((await desk.register(createSoftwareAuthenticator())).status, 200);
      const [{ id }] = (await (await desk.send("/passkeys")).json()) as [{ id: string }];
      assert.equal((await desk.send(`/passkeys/${id}`, { method: "DELETE" })).status, 204);
      assert.equal((await open().prove(authenticator)).status, 401);
      const left = await database.prepare("SELECT id FROM passkeys").all();
      assert.equal(left.results.length, 1);
    } finally {
      await miniflare.dispose();
    }
  },
});
