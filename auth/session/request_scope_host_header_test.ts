import assert from "node:assert/strict";
import { getUser } from "../mod.ts";
import { createTestApplication } from "../tests/application.ts";

/** A request as servers make it: Host and target joined. */
function incoming(host: string, target: string, headers: Record<string, string> = {}): Request {
  let url = `http://${host}${target}`;
  if (!URL.canParse(url)) url = `http://localhost${target}`;
  return new Request(url, { headers: { ...headers, host } });
}

const WRONG = [
  "",
  " ",
  "app.example/auth/session?",
  "app.example/auth/session#",
  "app.example?",
  "app.example#",
  "app.example\\auth",
  "user@app.example",
  "user:pass@app.example",
  "app.example, other.example",
  "a b",
  "app.example:",
  "app.example:80:80",
  "app.example:99999x",
  "app.example:99999",
  "1.2.3.4.5",
  "256.1.1.1",
  "[::1::2]",
  "app%2eexample",
  "[::1",
  "[::1]/x",
  "<script>",
];

const RIGHT = [
  "app.example",
  "APP.example:8080",
  "app.example.",
  "localhost:3000",
  "a_b.example",
  "192.0.2.1:80",
  "[2001:db8::1]",
  "[::1]:443",
];

Deno.test("auth.handle() and auth.run() refuse a Host header that is more than a name and a port", async () => {
  // Tracks: A-11, R066
  const { auth, signIn, close } = createTestApplication();
  const cookie = await signIn();
  for (const host of WRONG) {
    const request = incoming(host, "/x", { cookie, accept: "application/json" });
    let reached = false;
    const response = await auth.handle(request, {}) ??
      await auth.run(request, {}, undefined, () => (reached = true, new Response()));
    assert.deepEqual([response.status, reached], [400, false], host);
    const text = await response.text();
    assert.ok(!text.includes("ada"), text);
    const own = await auth.handle(incoming(host, "/auth/session", { cookie }), {});
    if (own !== null) assert.equal(own.status, 400, host);
  }
  for (const host of RIGHT) {
    const request = incoming(host, "/x", { cookie });
    assert.equal(await auth.handle(request, {}), null);
    const response = await auth.run(request, {}, undefined, () => new Response(getUser()?.id));
    assert.equal(await response.text(), "ada", host);
  }
  const without = await auth.run(
    new Request("http://localhost/x"),
    {},
    undefined,
    () => new Response("no Host header, as of a request that a program made"),
  );
  assert.equal(without.status, 200);
  close();
});
