import assert from "node:assert/strict";
import { createClient } from "../support/client.ts";
import { type RawReply, sendRaw } from "../support/raw_http.ts";

const CREDENTIALS = "/auth/signin/credentials";

/** What a server of the library's own is sent by clients that break the rules, over connections that are kept. */
export async function attackServer(port: number): Promise<void> {
  const origin = `http://localhost:${port}`;
  const own = `Host: localhost:${port}\r\nOrigin: ${origin}\r\n`;
  const who = `GET /who HTTP/1.1\r\n${own}Connection: close\r\n\r\n`;
  const post = `POST ${CREDENTIALS} HTTP/1.1\r\n${own}Content-Type: application/json\r\n`;

  function send(...parts: string[]): Promise<RawReply> {
    return sendRaw(port, parts.join(""));
  }
  /** Statuses of all answers on one connection. */
  function statuses({ text }: RawReply): number[] {
    return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  // Two readings of where a body ends: none is answered twice.
  for (
    const framing of [
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}",
    ]
  ) {
    assert.deepEqual(statuses(await send(post, framing, who)), [400], framing);
  }
  // A body that nobody reads is no request, and the next one is answered as itself.
  const inner = "GET /guarded HTTP/1.1\r\n\r\n";
  const unread = `Content-Type: text/plain\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`;
  const nowhere = await send(`POST /nowhere HTTP/1.1\r\n${own}`, unread, who);
  assert.equal(statuses(nowhere).at(-1), 200, nowhere.text);
  assert.ok(!statuses(nowhere).includes(303), nowhere.text);
  const refused = await send(`POST ${CREDENTIALS} HTTP/1.1\r\n${own}`, unread, who);
  assert.deepEqual(statuses(refused), [415, 200]);
  const big = "x".repeat(200_000);
  const tooBig = await send(post, `Content-Length: ${big.length}\r\n\r\n`, big, who);
  assert.deepEqual(statuses(tooBig), [413, 200]);

  // Targets that are no path, and names that every object has.
  for (const line of ["OPTIONS *", "TRACE /who", `GET ${origin}/auth/session`]) {
    const reply = await send(`${line} HTTP/1.1\r\n${own}Connection: close\r\n\r\n`);
    assert.equal(reply.status, 400, `${line}: ${reply.text}`);
  }
  const named = "__proto__: x\r\nconstructor: y\r\nConnection: close\r\n\r\n";
  assert.match((await send(`GET /who HTTP/1.1\r\n${own}${named}`)).text, /nobody$/);
  const fields = '{"__proto__":"1","pin":"0000"}';
  assert.equal((await send(post, `Content-Length: ${fields.length}\r\n\r\n${fields}`)).status, 401);

  // Behind as many headers as Node keeps, those of a proxy may be missing.
  for (const count of [998, 1100]) {
    const filled = `GET /who HTTP/1.1\r\n${own}${"A: b\r\n".repeat(count)}\r\n`;
    assert.equal((await send(filled)).status, 431, `${count}`);
  }

  // What a handler began to say is no part of the redirect, whose address is one line.
  const guarded = await send(
    `GET /guarded?%0d%0aX: 1 HTTP/1.1\r\n`.replace(": ", ":"),
    own,
    "\r\n",
  );
  assert.deepEqual(statuses(guarded), [303]);
  assert.match(guarded.text, /^location: \S+%250d%250aX%3A1\r$/im);
  assert.doesNotMatch(guarded.text, /content-length: 5|text\/plain|^x:/im);
  assert.match(guarded.text, /^set-cookie: theme=dark\r$/im);
  const line = await send(`GET /line HTTP/1.1\r\n${own}\r\n`, who);
  assert.deepEqual(statuses(line), [500, 200]);
  assert.doesNotMatch(line.text, /content-length: 5\r|^b: c/im);

  // What the handler had said to caches is not said of the refusal, which they would keep for everybody.
  const kept = await send(`GET /refused HTTP/1.1\r\n${own}\r\n`);
  assert.deepEqual(statuses(kept), [401]);
  assert.match(kept.text, /^cache-control: no-store\r$/im);
  assert.doesNotMatch(kept.text, /public|cdn-cache-control/i);

  // Clients that leave, and a handler that fails in the middle.
  const half = await send(post, 'Content-Length: 50\r\n\r\n{"pin":');
  assert.equal(half.status, 0, half.text);
  const broken = await send(`GET /broken HTTP/1.1\r\n${own}\r\n`, who);
  assert.doesNotMatch(broken.text, /nobody|\r\n0\r\n\r\n/);

  // A renewed cookie is stored by no cache, and the application's own stands beside it.
  const ada = createClient(origin);
  const forwarded = { "x-forwarded-for": "192.0.2.7", forwarded: "for=192.0.2.7" };
  const signedIn = await ada.post(CREDENTIALS, { pin: "1234" }, forwarded);
  assert.equal(signedIn.status, 303, await signedIn.text());
  for (const isRenewed of [false, true]) {
    if (isRenewed) await (await fetch(`${origin}/later`)).body?.cancel();
    const { headers, ...shared } = await ada.fetch("/shared").then(async (response) => ({
      headers: response.headers,
      text: await response.text(),
    }));
    assert.equal(shared.text, "Ada");
    assert.match(headers.get("vary")!, /Cookie/);
    assert.equal(headers.get("cache-control"), isRenewed ? "no-store" : "public, max-age=60");
    assert.equal(headers.get("cdn-cache-control"), isRenewed ? null : "max-age=600");
    assert.equal(headers.getSetCookie().length, isRenewed ? 2 : 1);
    assert.ok(headers.getSetCookie().includes("theme=dark"));
  }
}

/** What only Fastify has: hooks of every phase, its error handling and the application's own. */
export async function useFastify(port: number): Promise<void> {
  const origin = `http://localhost:${port}`;
  const ada = createClient(origin);
  await (await ada.post(CREDENTIALS, { pin: "1234" })).body?.cancel();
  const phases = await ada.fetch("/phases", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "x".repeat(100_000) }),
  });
  const told = await phases.json();
  assert.deepEqual([told.phases, told.last], ["Ada".repeat(5), "Ada"]);
  assert.equal(told.body.text.length, 100_000);

  const visitor = createClient(origin);
  const code = (text: string) => JSON.parse(text).code;
  for (
    const [client, status, name] of [[visitor, 401, "UNAUTHENTICATED"], [
      ada,
      403,
      "FORBIDDEN",
    ]] as const
  ) {
    // Fastify's own answer, that of the library's handler by Accept, and that of the application's.
    const role = await client.fetch("/role");
    assert.deepEqual([role.status, code(await role.text())], [status, name]);
    const paged = await client.fetch("/paged", { headers: { accept: "application/json" } });
    assert.deepEqual([paged.status, code(await paged.text())], [status, name]);
    const plain = await client.fetch("/paged", { headers: { accept: "text/html" } });
    assert.equal(plain.status, status);
    assert.match(plain.headers.get("content-type")!, /^text\/plain/);
    await plain.body?.cancel();
    const handled = await client.fetch("/handled");
    assert.deepEqual([handled.status, await handled.text()], [418, name]);
    const guarded = await client.fetch("/protected");
    assert.equal(guarded.status, status, await guarded.text());
  }
  const boom = await visitor.fetch("/boom");
  assert.equal(boom.status, 500, await boom.text());
  const redirected = await visitor.fetch("/redirected");
  assert.equal(redirected.status, 303, await redirected.text());
  assert.equal(redirected.headers.get("location"), `${origin}/login?callbackUrl=%2Fredirected`);
}
