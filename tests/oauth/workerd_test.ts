import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { fileURLToPath } from "node:url";
import { authSchema } from "@framework/auth/storage";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { workerModules } from "../runtimes/runtimes.ts";
import { bundleEntries } from "../support/bundle.ts";
import { ORIGIN } from "./application.ts";
import { createVisitor, errorOf } from "./visitor.ts";

Deno.test({
  name: "workerd signs visitors in at a real provider over the network, many at once",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const identity = await startIdentityProvider({
      redirectUris: [`${ORIGIN}/auth/callback/local`, `${ORIGIN}/auth/callback/form`],
    });
    const files = await bundleEntries([fileURLToPath(new URL("./worker.ts", import.meta.url))]);
    const { clientId, clientSecret } = DEMO_CLIENT;
    const miniflare = new Miniflare({
      modules: workerModules(files, files[0]!.name),
      modulesRoot: "/",
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      d1Databases: { DB: "auth" },
      bindings: {
        ISSUER: identity.issuer,
        ORIGIN,
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
      },
    });
    const origin = (await miniflare.ready).origin;
    const database = await miniflare.getD1Database("DB");
    const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter((sql) => sql);
    await database.batch(statements.map((sql) => database.prepare(sql)));

    /** Carries a request to the worker, whatever its address says. */
    async function toWorker(request: Request): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "POST" ? await request.text() : undefined;
      return await fetch(origin + pathname + search, {
        method,
        headers,
        redirect: "manual",
        ...body !== undefined && { body },
      });
    }

    const overHttp = { handle: toWorker } as unknown as Parameters<typeof createVisitor>[0];
    try {
      const visitors = Array.from({ length: 10 }, () => createVisitor(overHttp, ORIGIN));
      const codes = await Promise.all(
        visitors.map((visitor, index) =>
          visitor.signIn(index % 2 === 0 ? "local" : "form", { as: index < 5 ? "ada" : "grace" })
            .then(errorOf)
        ),
      );
      assert.deepEqual(new Set(codes), new Set([null]));
      assert.equal((await visitors[9]!.user())?.name, "Grace Hopper");
      const page = await visitors[0]!.send("/page");
      const { name, token } = await page.json();
      assert.equal(name, "Ada Lovelace");
      assert.match(token, /^[\w-]{20,}$/);
      // The description and the keys were fetched once for each of the two providers.
      assert.equal(identity.requests.filter((path) => path === "/jwks").length, 2);
      const cancelled = await visitors[0]!.signIn("form", { as: null });
      // The provider remembers who signed in there, and asks no more.
      assert.equal(await errorOf(cancelled), null);
      const fresh = createVisitor(overHttp, ORIGIN);
      assert.equal(await errorOf(await fresh.signIn("local", { as: null })), "OAUTH_DENIED");
    } finally {
      await miniflare.dispose();
      await identity.close();
    }
  },
});
