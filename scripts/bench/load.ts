/**
 * Sends requests to a server on this machine over connections that stay open, and counts what comes back. A process of
 * its own, in Node, so that it costs whoever measures nothing; it needs nothing but Node.
 *
 * Usage: `node load.ts '{"port":8787,"cookie":"…","connections":32,"seconds":2}'`
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import process from "node:process";

/** Load to send. */
export interface LoadOptions {
  /** Port on 127.0.0.1. */
  port: number;
  /** Path of the requests. Default: `/check`. */
  path?: string;
  /** Value of the `Cookie` header. */
  cookie: string;
  connections: number;
  seconds: number;
  /** Requests in a second, evenly. Default: as many as are answered. */
  rate?: number;
}

/** Result of a load. */
export interface LoadResult {
  /** Answers with status 200. */
  requests: number;
  /** Other answers, and connections that broke. */
  errors: number;
  /** The first error, in words. */
  firstError?: string;
  seconds: number;
  /** Milliseconds to the answer: half and 99 of a hundred took no longer. */
  median: number;
  percentile99: number;
}

interface Connection {
  socket: Socket;
  received: Buffer<ArrayBufferLike>;
  sentAt: number;
  isBusy: boolean;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Length of the first whole answer in what was received, or 0. */
function answerLength(received: Buffer): number {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = received.toString("latin1", 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const total = end + 4 + Number(length);
    return received.length >= total ? total : 0;
  }
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return end + 4;
  const last = received.indexOf("0\r\n\r\n", end + 4, "latin1");
  return last < 0 ? 0 : last + 5;
}

/** Sends requests and counts answers. */
export async function sendLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, path = "/check", cookie, connections, seconds, rate } = options;
  // A page is made anew for each request, whoever keeps copies of it.
  const headers = `Cookie: ${cookie}\r\nAccept: text/html\r\nCache-Control: no-cache\r\n`;
  const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`;
  const times: number[] = [];
  let requests = 0;
  let errors = 0;
  let firstError: string | undefined;
  let isOver = false;
  let due = 0;
  const all = new Set<Connection>();
  const idle: Connection[] = [];

  function fail(why: string): void {
    if (isOver) return;
    errors++;
    firstError ??= why;
  }
  function send(connection: Connection): void {
    connection.isBusy = true;
    connection.sentAt = performance.now();
    connection.socket.write(text);
  }
  /** Gives a connection its next request, or has it wait for one: the longest waiting comes first. */
  function goOn(connection: Connection): void {
    if (isOver) return;
    if (rate === undefined) send(connection);
    else if (due >= 1) {
      due--;
      send(connection);
    } else idle.push(connection);
  }
  function finish(connection: Connection, answer: Buffer): void {
    const status = answer.toString("latin1", 9, 12);
    if (status === "200") requests++;
    else fail(answer.toString("latin1", 0, 500));
    // One in ten is enough to know how long they take, and an hour of them still fits into memory.
    if (requests % 10 === 0) times.push(performance.now() - connection.sentAt);
    connection.isBusy = false;
    // What the server says that it closes takes no other request; another one is opened when it does.
    const head = answer.toString("latin1", 0, answer.indexOf(HEAD_END));
    if (!/\r\nconnection: close/i.test(head)) goOn(connection);
  }
  /** A server may close what nobody uses, and clients open another one; an answer that is due it may not. */
  function replace(connection: Connection): void {
    all.delete(connection);
    if (isOver) return;
    if (connection.isBusy) fail("The server closed a connection before its answer");
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    open().then(goOn, ({ message }) => fail(message));
  }
  function open(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const connection: Connection = {
        socket,
        received: Buffer.alloc(0),
        sentAt: 0,
        isBusy: false,
      };
      socket.once("error", reject);
      socket.once("connect", () => {
        all.add(connection);
        // What breaks it closes it as well.
        socket.on("error", () => {});
        socket.on("close", () => replace(connection));
        resolve(connection);
      });
      socket.on("data", (part: Buffer) => {
        connection.received = connection.received.length === 0
          ? part
          : Buffer.concat([connection.received, part]);
        const length = answerLength(connection.received);
        if (length === 0) return;
        const answer = connection.received.subarray(0, length);
        connection.received = connection.received.subarray(length);
        finish(connection, answer);
      });
    });
  }

  const opened = await Promise.all(Array.from({ length: connections }, open));
  const started = performance.now();
  for (const connection of opened) goOn(connection);
  let last = started;
  while (performance.now() - started < seconds * 1000) {
    await new Promise((resolve) => setTimeout(resolve, rate === undefined ? 20 : 2));
    if (rate === undefined) continue;
    const now = performance.now();
    due += (now - last) / 1000 * rate;
    last = now;
    while (due >= 1 && idle.length > 0) {
      due--;
      send(idle.shift()!);
    }
  }
  const spent = (performance.now() - started) / 1000;
  isOver = true;
  for (const { socket } of all) socket.destroy();
  times.sort((a, b) => a - b);
  return {
    requests,
    errors,
    ...firstError !== undefined && { firstError },
    seconds: spent,
    median: times[times.length >> 1] ?? 0,
    percentile99: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

if (process.argv[1]?.endsWith("load.ts")) {
  const options = JSON.parse(process.argv[2]!) as LoadOptions;
  process.stdout.write(JSON.stringify(await sendLoad(options)));
}
