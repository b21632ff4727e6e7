import assert from "node:assert/strict";
import type { HtmlRewriter } from "../platform/html_rewriter.ts";
import { fileURLToPath } from "node:url";
import { createTestContext } from "./test_context.ts";
import type { TestContext } from "./types.ts";

const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));

interface Room {
  said(): Promise<string[]>;
  say(text: string): Promise<string[]>;
}

/** Names that the platform has on the global object. */
interface Sockets {
  WebSocketPair: new () => Record<0 | 1, WebSocket & { accept(): void }>;
}

function room({ env }: TestContext, name = "lobby"): Room {
  return (env["ROOM"] as { getByName(name: string): Room }).getByName(name);
}

Deno.test("clock.advance() rings the alarms of durable objects, each at its time", async () => {
  await using ctx = await createTestContext({ cwd });
  await room(ctx).say("hello");
  await ctx.clock.advance("59m");
  assert.deepEqual(await room(ctx).said(), ["hello"]);
  await ctx.clock.advance("1m 1s");
  assert.deepEqual(await room(ctx).said(), []);
});

Deno.test("ctx.fetch() waits for the alarms that are due", async () => {
  await using ctx = await createTestContext({ cwd, clock: new Date("2026-03-01") });
  await ctx.fetch("/api/room", { method: "POST", body: "hello" });
  void ctx.clock.advance("2h");
  const again = await ctx.fetch("/api/room", { method: "POST", body: "again" });
  assert.deepEqual(await again.json(), { said: ["again"] });
});

Deno.test("an alarm that fails is tried again, and tells who waits for the clock", async () => {
  await using ctx = await createTestContext({ cwd });
  await room(ctx).say("trouble");
  await assert.rejects(async () => await ctx.clock.advance("1h 1s"), {
    message: "Nobody forgets trouble.",
  });
  assert.deepEqual(await room(ctx).said(), ["trouble"]);
  await assert.rejects(async () => await ctx.clock.advance("3s"), /Nobody forgets trouble/);
});

Deno.test("cleanup() throws what an alarm threw while nobody waited", async () => {
  const ctx = await createTestContext({ cwd });
  await room(ctx).say("trouble");
  void ctx.clock.advance("1h 1s");
  await assert.rejects(ctx.cleanup(), { message: "Nobody forgets trouble." });
});

// Tracks: F50
Deno.test("contexts in parallel have durable objects of their own, which end with them", async () => {
  const rooms = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      await using ctx = await createTestContext({ cwd });
      for (let count = 0; count < index % 3; count++) await room(ctx).say(String(index));
      return { room: room(ctx), said: await room(ctx).said() };
    }),
  );
  for (const [index, { said }] of rooms.entries()) {
    assert.deepEqual(said, Array(index % 3).fill(String(index)));
  }
  await assert.rejects(rooms[0]!.room.said(), { code: "CONTEXT_ENDED" });
});

Deno.test("what of durable objects is not emulated says so", async () => {
  await using ctx = await createTestContext({ cwd });
  const { ROOM } = ctx.env as { ROOM: { getByName(name: string): { connect(): void } } };
  assert.throws(() => ROOM.getByName("lobby").connect(), {
    code: "NOT_EMULATED",
    binding: "ROOM",
    kind: "durable_objects",
    message: /env\.ROOM was used for connect\(\).*runtime: "workerd"/,
  });
  for (const asked of ["facets", "storage.getCurrentBookmark"]) {
    const response = ctx.fetch(`/api/room?ask=${asked}`);
    await assert.rejects(response, { code: "NOT_EMULATED", message: new RegExp(asked) });
  }
  const { HTMLRewriter } = globalThis as unknown as { HTMLRewriter: new () => HtmlRewriter };
  const rewritten = new HTMLRewriter().on("p", {
    element: (p: { setInnerContent(text: string): void }) => p.setInnerContent("new"),
  }).transform(new Response("<p>old</p>"));
  assert.equal(await rewritten.text(), "<p>new</p>");
});

Deno.test("cleanup() throws what the handlers of sockets threw", async () => {
  for (
    const [path, message] of [["/api/presence?name=ada", /Nobody hears that/], [
      "/api/echo",
      /No echo/,
    ]] as const
  ) {
    const ctx = await createTestContext({ cwd });
    const socket = await ctx.connect(path);
    socket.send("fail");
    await assert.rejects(ctx.cleanup(), message);
    assert.throws(() => socket.send("more"), { code: "CONTEXT_ENDED" });
  }
});

Deno.test("receive() rejects at once with what a handler of the socket threw, which cleanup() does not throw again", async () => {
  for (
    const [path, message] of [
      ["/api/presence?name=ada", /Nobody hears that/],
      ["/api/echo", /No echo/],
    ] as const
  ) {
    await using ctx = await createTestContext({ cwd });
    const socket = await ctx.connect(path);
    if (path !== "/api/echo") await socket.receive();
    const isFailure = (error: Error & { code: string }) => {
      assert.deepEqual([error.code, message.test(error.message)], ["SOCKET_FAILED", true]);
      assert.match(String(error.cause), message);
      return true;
    };
    socket.send("fail");
    await assert.rejects(socket.receive(), isFailure);
    // Also what was thrown before the test asked.
    const before = socket.receive();
    socket.send("fail");
    await assert.rejects(before, isFailure);
    socket.send("fail");
    await new Promise((resolve) => setTimeout(resolve));
    await assert.rejects(socket.receive(), isFailure);
  }
});

Deno.test("receive() is told of sockets alone: what other work throws is left to settled()", async () => {
  await using ctx = await createTestContext({ cwd });
  const socket = await ctx.connect("/api/echo");
  const next = socket.receive();
  await ctx.fetch("/api/background?fail", { method: "POST" });
  await assert.rejects(ctx.settled(), /The background failed/);
  socket.send("hello");
  assert.equal(await next, "nobody: hello");
});

Deno.test("receive() after an error takes it without waiting for the work that goes on, and then what arrives", async () => {
  const work = Promise.withResolvers<void>();
  const handler = (_request: Request, _env: object, ctx: { waitUntil(work: unknown): void }) => {
    const { 0: webSocket, 1: server } = new (globalThis as unknown as Sockets).WebSocketPair();
    server.accept();
    server.addEventListener("message", ({ data }: MessageEvent) => {
      if (data === "fail") throw new RangeError("No echo.");
      server.send(data);
    });
    ctx.waitUntil(work.promise);
    return new Response(null, { status: 101, webSocket } as ResponseInit);
  };
  await using ctx = await createTestContext({ cwd, handler });
  const [socket, other] = [await ctx.connect("/"), await ctx.connect("/")];
  socket.send("fail");
  await new Promise((resolve) => setTimeout(resolve));
  await assert.rejects(other.receive(), { code: "SOCKET_FAILED", message: /No echo/ });
  socket.send("hello");
  assert.equal(await socket.receive(), "hello");
  work.resolve();
});

// Tracks: AB-05
Deno.test("cleanup() waits for what durable objects do with messages", async () => {
  const ctx = await createTestContext({ cwd });
  const socket = await ctx.connect("/api/presence?name=ada");
  assert.equal(await socket.receive(), "ada is here");
  socket.send("late");
  await ctx.cleanup();
  assert.equal(await socket.receive(), "ada: late");
});

// Tracks: AB-05
Deno.test("a response with a socket is 101 and no other, and others stay the runtime's own", async () => {
  await using _ctx = await createTestContext({ cwd });
  const { WebSocketPair } = globalThis as unknown as {
    WebSocketPair: new () => [object, object];
  };
  const { 0: webSocket } = new WebSocketPair();
  const respond = (status: number) => new Response(null, { status, webSocket } as ResponseInit);
  assert.throws(() => respond(200), /must have status code 101/);
  assert.equal(respond(101).status, 101);
  assert.equal(new Response(null, respond(101)).status, 101);
  class Own extends Response {}
  assert.ok(new Own("x") instanceof Own);
  assert.ok(Response.json({}) instanceof Response);
});

Deno.test("a response with a socket that was accepted is refused when it is returned", async () => {
  const handler = () => {
    const { WebSocketPair } = globalThis as unknown as {
      WebSocketPair: new () => [{ accept(): void }, object];
    };
    const { 0: webSocket } = new WebSocketPair();
    webSocket.accept();
    return new Response(null, { status: 101, webSocket } as ResponseInit);
  };
  await using ctx = await createTestContext({ cwd, handler });
  await assert.rejects(ctx.fetch("/", { headers: { upgrade: "websocket" } }), {
    name: "TypeError",
    message: /after calling accept/,
  });
});
