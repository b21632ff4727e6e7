import assert from "node:assert/strict";
import { createObjectSockets } from "./durable_object_sockets.ts";
import { PairedSocket, type SocketOptions } from "./web_socket.ts";

const options: SocketOptions = {
  failed: (error) => {
    throw error;
  },
  binaryType: "blob",
};
const turn = () => new Promise((resolve) => setTimeout(resolve));

function heard(socket: PairedSocket): unknown[] {
  const events: unknown[] = [];
  socket.addEventListener("message", (event) => void events.push((event as MessageEvent).data));
  socket.addEventListener("close", (event) => {
    const { code, reason, wasClean } = event as CloseEvent;
    events.push([code, reason, wasClean]);
  });
  return events;
}

Deno.test("PairedSocket keeps what arrives until it is accepted, and hears it after the sender", async () => {
  const [one, two] = PairedSocket.pair(options);
  assert.throws(() => one.send("x"), /You must call one of accept\(\) or state\.acceptWebSocket/);
  one.accept();
  one.send("a");
  one.send("b");
  const events = heard(two);
  two.accept();
  assert.deepEqual(events, []);
  await turn();
  assert.deepEqual(events, ["a", "b"]);
});

Deno.test("PairedSocket gives binary messages as it is told to, as copies", async () => {
  const [one, two] = PairedSocket.pair(options);
  const events = heard(two);
  one.accept();
  two.accept();
  const bytes = new Uint8Array([1, 2, 3]);
  one.send(bytes.subarray(1));
  bytes.fill(0);
  await turn();
  assert.ok(events[0] instanceof Blob);
  assert.deepEqual([...await events[0].bytes()], [2, 3]);
  two.binaryType = "arraybuffer";
  one.send(bytes.buffer);
  await turn();
  assert.deepEqual(events[1], new Uint8Array(3).buffer);
});

Deno.test("PairedSocket answers a close, after which nothing is sent", async () => {
  const [one, two] = PairedSocket.pair(options);
  const [first, second] = [heard(one), heard(two)];
  one.accept();
  two.accept();
  assert.throws(() => one.close(1005), /Invalid WebSocket close code: 1005/);
  assert.throws(() => one.close(undefined, "why"), /must also specify a code/);
  one.close(4000, "enough");
  one.close(4001);
  assert.equal(one.readyState, PairedSocket.READY_STATE_CLOSING);
  await turn();
  assert.deepEqual([first, second], [[[4000, "enough", true]], [[4000, "enough", true]]]);
  assert.deepEqual([one.readyState, two.readyState], [3, 3]);
  assert.throws(() => two.send("x"), /after close/);
});

Deno.test("PairedSocket is accepted by a listener's side or a state, not by both", () => {
  const [one, two] = PairedSocket.pair(options);
  const { methods } = createObjectSockets();
  one.accept();
  one.accept();
  assert.throws(() => methods.acceptWebSocket(one), /already accepted/);
  methods.acceptWebSocket(two);
  assert.throws(() => two.accept(), /after enabling hibernation/);
});

Deno.test("PairedSocket forgets a listener that is removed, and tells what one throws", async () => {
  const thrown: unknown[] = [];
  const [one, two] = PairedSocket.pair({ ...options, failed: (error) => void thrown.push(error) });
  const forgotten = () => assert.fail("was removed");
  two.addEventListener("message", forgotten);
  two.removeEventListener("message", forgotten);
  two.addEventListener("message", {
    handleEvent: () => Promise.reject(new RangeError("listener")),
  });
  one.accept();
  two.accept();
  one.send("x");
  await turn();
  assert.deepEqual(thrown.map(String), ["RangeError: listener"]);
});

Deno.test("createObjectSockets() answers what it is told to without the object, and keeps attachments", async () => {
  const [one, two] = PairedSocket.pair(options);
  const { methods, lose } = createObjectSockets(() => assert.fail("the object was woken"));
  const events = heard(one);
  one.accept();
  methods.acceptWebSocket(two);
  methods.setWebSocketAutoResponse({ request: "ping", response: "pong" });
  assert.equal(methods.getWebSocketAutoResponseTimestamp(two), null);
  one.send("ping");
  await turn();
  assert.ok(methods.getWebSocketAutoResponseTimestamp(two) instanceof Date);
  two.serializeAttachment({ name: "ada" });
  assert.deepEqual(two.deserializeAttachment(), { name: "ada" });
  lose();
  await turn();
  assert.deepEqual(events, ["pong", [1006, "", false]]);
});
