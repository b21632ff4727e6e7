// The configuration of the authentication of a built server, when it starts.
import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { sendRaw } from "../support/raw_http.ts";
import { buildServer, serve, type ServerRuntime, startProgram } from "./built_server.ts";

const files = {
  "app/me/page.tsx": `import { getUser } from "@framework/auth";
export default () => <p>{getUser()?.id ?? "nobody"}</p>;`,
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig((env: { AUTH_SECRET: string }) => ({
  secret: env.AUTH_SECRET,
  cookies: { sessionToken: { hostOnly: true } },
  session: { strategy: "jwt" },
}));`,
};

function ask(port: number, path: string): ReturnType<typeof sendRaw> {
  return sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\n\r\n`);
}

for (const runtime of ["Node 22", "Node 24", "Deno"] as ServerRuntime[]) {
  if (runtime !== "Node 22" && !inMatrix) continue;
  Deno.test({
    name:
      `a built server does not start with what is wrong for its authentication, and says it: ${runtime}`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using app = await buildServer(runtime, files);
      const migrated = await startProgram(runtime, app, { args: ["migrate"] });
      assert.equal(await migrated.ended, 0, migrated.output());
      const env = { PORT: "0", ALLOWED_HOSTS: "app.example", AUTH_SECRET: "short" };
      const refused = await startProgram(runtime, app, { env });
      assert.equal(await refused.ended, 2, refused.output());
      assert.match(refused.output(), /^Error: Wrong option "secret": .*32/m);
      assert.match(refused.output(), /See app\/auth and the variables of the environment/);
      assert.doesNotMatch(refused.output(), /listens/);
      await using server = await serve(runtime, app, { AUTH_SECRET: "s".repeat(32) });
      assert.doesNotMatch(server.child.output(), /Error/);
      assert.match((await ask(server.port, "/me")).text, /nobody/);
    },
  });
}
