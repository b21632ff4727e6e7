import assert from "node:assert/strict";
import { createFixtureApp } from "./fixture_app.ts";
import { startFrameworkWith } from "./framework.ts";

const files = {
  "app/page.tsx": "export default () => <p>first</p>;",
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig(() => ({ session: { strategy: "jwt" }, secret: "a secret of the tests ".repeat(2) }));`,
  "app/sets/route.ts": `export function GET(request) {
  const { hostname } = new URL(request.url);
  const headers = new Headers();
  headers.append("set-cookie", "old=; Max-Age=0; Path=/; Secure");
  headers.append("set-cookie", "plain=1; Path=/");
  if (hostname !== "localhost") headers.append("set-cookie", "session=1; Path=/; HttpOnly; Secure");
  return new Response(null, { headers });
}`,
};

// Tracks: SP-W9
Deno.test("framework dev says once for each address of the network which cookie the browser drops there", async () => {
  await using app = await createFixtureApp(files);
  const env = { XDG_CONFIG_HOME: app.root, NO_COLOR: "1" };
  const child = startFrameworkWith(
    { root: app.root, env },
    "dev",
    "--port",
    "0",
    "--host",
    "0.0.0.0",
  );
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void await child.stop());
  const [, port] = await child.waitFor(/fixture is ready at http:\/\/localhost:(\d+)/);
  await child.waitFor(/ {2}sign-in there requires --https/);
  // Every machine has this one: it is no name of the loopback, and leads there.
  const network = `http://0.0.0.0:${port}`;
  const get = async (address: string): Promise<void> => {
    const response = await fetch(address);
    await response.body?.cancel();
    assert.equal(response.status, 200);
  };
  await get(`http://localhost:${port}/sets`);
  assert.doesNotMatch(child.output(), /drop the cookie/);
  for (let times = 0; times < 2; times++) await get(`${network}/sets`);
  await child.waitFor(/drop the cookie/);
  const told = child.output().match(/.*drop the cookie.*/g);
  assert.deepEqual(told, [
    `warning: Browsers at ${network} drop the cookie session: it is Secure, and this is plain http. ` +
    "Sign-in works there with `framework dev --host 0.0.0.0 --https`.",
  ]);
});
