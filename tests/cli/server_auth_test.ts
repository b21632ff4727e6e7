// What a built server says of its authentication when it starts.
import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { sendRaw } from "../support/raw_http.ts";
import { buildServer, serve, type ServerRuntime, startProgram } from "./built_server.ts";

const files = {
  "app/page.tsx": `export const session = false;
export default () => <p>Home</p>;`,
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
    name: `a built server says at the start what is wrong for its authentication: ${runtime}`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using app = await buildServer(runtime, files);
      const migrated = await startProgram(runtime, app, { args: ["migrate"] });
      assert.equal(await migrated.ended, 0, migrated.output());
      {
        await using server = await serve(runtime, app, { AUTH_SECRET: "short" });
        const said = server.child.output();
        assert.match(said, /^Error: Wrong option "secret": .*32/m);
        assert.match(said, /See app\/auth and the variables of the environment/);
        assert.equal((await ask(server.port, "/me")).status, 500);
        assert.equal((await ask(server.port, "/")).status, 200);
      }
      await using server = await serve(runtime, app, { AUTH_SECRET: "s".repeat(32) });
      assert.doesNotMatch(server.child.output(), /Error/);
      assert.match((await ask(server.port, "/me")).text, /nobody/);
    },
  });
}
