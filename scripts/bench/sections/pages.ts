import { type Browser, chromium } from "playwright-core";
import { Miniflare } from "miniflare";
import { gzipSync } from "node:zlib";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { findChromium } from "../../chromium.ts";
import { summarize } from "../compete.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { cpuTimeOf } from "../cpu_time.ts";
import { createFrameworkApps, type FrameworkApp, OWN } from "../frameworks.ts";
import type { Figure, Goal, Row, Section, Table, Unit } from "../report.ts";
import { startWorkerd } from "../workerd.ts";
import { load } from "./requests.ts";

const CONNECTIONS = 32;
const SECONDS = 1.5;
const LIST = "/";
const DATE = "2026-07-30";
/** Connection of a phone: milliseconds of a round trip, and bytes in a second. */
const PHONE = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };

/** Milliseconds that a pointer rests on a link before the click that was not at once. */
const HOVER = 300;

/** A built application, and what was measured of it. */
interface Contender {
  app: FrameworkApp;
  worker: string;
  assets: string | null;
  measured: Map<string, number[]>;
}

function note({ measured }: Contender, what: string, value: number): void {
  measured.set(what, [...measured.get(what) ?? [], value]);
}

/** A file or page that was sent. */
interface Sent {
  path: string;
  /** Bytes of the body, compressed. */
  bytes: number;
  isScript: boolean;
}

/** Server in front of a worker that compresses answers, as the platform does, and notes them. */
interface Front extends AsyncDisposable {
  origin: string;
  sent: Sent[];
}

async function startFront({ worker, assets }: Contender): Promise<Front> {
  const emulator = new Miniflare({
    modules: [{
      type: "ESModule",
      path: basename(worker),
      contents: await readFile(worker, "utf8"),
    }],
    compatibilityDate: DATE,
    compatibilityFlags: ["nodejs_compat"],
    cf: false,
    ...(assets === null ? {} : {
      assets: { directory: assets, binding: "ASSETS", routerConfig: { has_user_worker: true } },
    }),
  });
  const upstream = await emulator.ready;
  const sent: Sent[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete("accept-encoding");
      const answer = await fetch(new URL(pathname + search, upstream), {
        method: request.method,
        headers,
        redirect: "manual",
        ...(request.body ? { body: await request.bytes() } : {}),
      });
      const type = answer.headers.get("content-type") ?? "";
      const body = gzipSync(await answer.bytes(), { level: 9 });
      if (pathname !== "/favicon.ico") {
        sent.push({ path: pathname, bytes: body.length, isScript: /javascript/.test(type) });
      }
      const own = new Headers(answer.headers);
      own.delete("content-length");
      if (answer.status === 304 || answer.body === null) {
        return new Response(null, { status: answer.status, headers: own });
      }
      own.set("content-encoding", "gzip");
      return new Response(body, { status: answer.status, headers: own });
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    sent,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await emulator.dispose();
    },
  };
}

/**
 * Opens the list with nothing in the caches and follows a link to a record.
 *
 * @param hover Milliseconds that the pointer rests on the link before the click; 0 clicks at once.
 */
async function visit(
  browser: Browser,
  contender: Contender,
  { origin, sent }: Front,
  hover: number,
): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", { offline: false, ...PHONE });
    await session.send("Performance.enable");
    const busy = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")!.value * 1000;
    };
    sent.length = 0;
    await page.goto(`${origin}${LIST}`, { waitUntil: "networkidle" });
    if (hover === 0) {
      const times = await page.evaluate(() => {
        const [navigation] = performance.getEntriesByType("navigation") as unknown as {
          loadEventEnd: number;
        }[];
        const [paint] = performance.getEntriesByName("first-contentful-paint");
        return { load: navigation!.loadEventEnd, paint: paint!.startTime };
      });
      note(contender, "first paint", times.paint);
      note(contender, "loaded", times.load);
      note(contender, "busy", await busy());
      noteSent(contender, "first", sent);
    }

    sent.length = 0;
    const link = page.locator("li a").nth(4);
    const title = (await link.textContent())!;
    if (hover > 0) {
      await link.hover();
      await new Promise((resolve) => setTimeout(resolve, hover));
    }
    const next = hover === 0 ? "next" : "hovered";
    const started = performance.now();
    await link.click();
    await page.locator("h1", { hasText: title }).waitFor();
    note(contender, `${next}: time`, performance.now() - started);
    await page.waitForLoadState("networkidle");
    noteSent(contender, next, sent);
  } finally {
    await context.close();
  }
}

function noteSent(contender: Contender, what: string, sent: readonly Sent[]): void {
  const sum = (files: readonly Sent[]) =>
    files.reduce((bytes, file) => bytes + file.bytes, 0) / 1000;
  note(contender, `${what}: requests`, sent.length);
  note(contender, `${what}: bytes`, sum(sent));
  note(contender, `${what}: scripts`, sum(sent.filter(({ isScript }) => isScript)));
}

async function measureVisits(contenders: readonly Contender[], rounds: number): Promise<void> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error("There is no Chromium");
  await using stack = new AsyncDisposableStack();
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  stack.defer(() => browser.close());
  const fronts: Front[] = [];
  for (const contender of contenders) fronts.push(stack.use(await startFront(contender)));
  await interleave(contenders, rounds, async (contender, index) => {
    for (const hover of [0, HOVER]) await visit(browser, contender, fronts[index]!, hover);
  });
}

/** Runs rounds in which each contender has its turn; the first one warms up and does not count. */
async function interleave(
  contenders: readonly Contender[],
  rounds: number,
  turn: (contender: Contender, index: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const before = new Map(contender.measured);
      await turn(contender, index);
      if (round === 0) contender.measured = before;
    }
  }
}

/** A server whose requests are counted. */
interface Server {
  pid: number;
  port: number;
}

async function measureLoad(contender: Contender, { pid, port }: Server): Promise<void> {
  const before = await cpuTimeOf(pid);
  const options = { port, path: LIST, cookie: "a=b", connections: CONNECTIONS, seconds: SECONDS };
  const { requests, errors, firstError, seconds } = await load(options);
  const after = await cpuTimeOf(pid);
  if (errors > 0) throw new Error(`${contender.app.name} answered with an error: ${firstError}`);
  note(contender, "rate", requests / seconds);
  if (before !== null && after !== null) note(contender, "CPU", (after - before) / requests);
}

async function measureWorkers(contenders: readonly Contender[], rounds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (const { worker, app } of contenders) {
    const file = basename(worker);
    const started = await startWorkerd(dirname(worker), [file], [{ name: app.name, bindings: {} }]);
    stack.defer(() => started.stop());
    servers.push({ pid: started.pid, port: Number(new URL(started.origins.get(app.name)!).port) });
  }
  await interleave(
    contenders,
    rounds,
    (contender, index) => measureLoad(contender, servers[index]!),
  );
}

/** A fresh workerd, until it has answered with the list: its CPU time, and the wall. */
async function measureStarts(contenders: readonly Contender[], rounds: number): Promise<void> {
  await interleave(contenders, rounds, async (contender) => {
    const { worker, app } = contender;
    const begun = performance.now();
    const started = await startWorkerd(dirname(worker), [basename(worker)], [
      { name: app.name, bindings: {} },
    ]);
    try {
      const response = await fetch(started.origins.get(app.name)!, {
        headers: { "cache-control": "no-cache" },
      });
      await response.body?.cancel();
      note(contender, "start", performance.now() - begun);
      const cpu = await cpuTimeOf(started.pid);
      if (cpu !== null) note(contender, "start: CPU", cpu / 1000);
    } finally {
      await started.stop();
    }
  });
}

function figure({ measured }: Contender, what: string, unit: Unit): Figure | null {
  const values = measured.get(what);
  if (values === undefined || values.length === 0) return null;
  const { microseconds: value, noise } = summarize(values);
  return unit === "" || unit === "kB" ? { value, unit } : { value, unit, noise };
}

function table(
  title: string,
  contenders: readonly Contender[],
  columns: readonly (readonly [column: string, what: string, unit: Unit])[],
): Table {
  const rows: Row[] = contenders.map((contender) => ({
    name: contender.app.name,
    figures: columns.map(([, what, unit]) => figure(contender, what, unit)),
  }));
  return { title, columns: columns.map(([name]) => name), rows, base: OWN };
}

/** Measures what pages cost their visitors and their server, beside the same pages in other frameworks. */
export async function measurePages({ rounds }: BenchOptions): Promise<Section> {
  await using made = await createFrameworkApps();
  const contenders: Contender[] = [];
  for (const app of made.apps) {
    progress(`  builds ${app.name}`);
    contenders.push({ app, ...await app.buildWorker(), measured: new Map() });
    const { worker } = contenders.at(-1)!;
    const text = await readFile(worker);
    note(contenders.at(-1)!, "worker", text.length / 1000);
    note(contenders.at(-1)!, "worker, compressed", gzipSync(text, { level: 9 }).length / 1000);
  }
  progress("  visits in Chromium");
  await measureVisits(contenders, Math.ceil(rounds / 3));
  progress("  starts of workerd");
  await measureStarts(contenders, rounds);
  progress("  requests to workerd");
  await measureWorkers(contenders, Math.ceil(rounds / 3));
  const own = contenders[0]!;
  const value = (contender: Contender, what: string) =>
    summarize(contender.measured.get(what) ?? [NaN]).microseconds;
  const beside = (what: string, name: string): number => {
    const other = contenders.find(({ app }) => app.name === name)!;
    return value(own, what) / value(other, what);
  };
  const goals: Goal[] = [
    {
      what: "scripts of a page without client components",
      value: value(own, "first: scripts"),
      unit: "kB",
      is: "at most",
      limit: 0,
    },
    ...["Hono + JSX", "HonoX", "SvelteKit", "React Router"].map((name): Goal => ({
      what: `workerd: CPU of a page with a loader, the framework over ${name}`,
      value: beside("CPU", name),
      unit: "×",
      is: "at most",
      limit: name === "Hono + JSX" ? 1.5 : 1,
    })),
  ];
  return {
    name: "pages",
    title: "Pages beside other frameworks",
    about:
      "A list of twenty records with a loader, a record and a form, the same in each framework " +
      "(`scripts/bench/frameworks/`), built as its guide says for workers. In Chromium with empty caches, over a " +
      "connection of 1.6 Mbit/s with 150 ms for a round trip; bodies by `gzip -9`. A navigation is a click on a link " +
      "of the list, up to the record's heading: at once, and after the pointer has rested on the link for " +
      `${HOVER} ms, in which each of them may load ahead what it loads ahead of a click (requests and bytes are with ` +
      "that, the time is from the click). The visitor is not signed in. The main thread's time is that of the list's first load. The server " +
      `answers with the list over ${CONNECTIONS} connections; the client runs on the machine's other core.`,
    tables: [
      table("First load", contenders, [
        ["requests", "first: requests", ""],
        ["bytes", "first: bytes", "kB"],
        ["of them scripts", "first: scripts", "kB"],
        ["first paint", "first paint", "ms"],
        ["loaded", "loaded", "ms"],
        ["main thread", "busy", "ms"],
      ]),
      table("Navigation", contenders, [
        ["requests", "next: requests", ""],
        ["bytes", "next: bytes", "kB"],
        ["time", "next: time", "ms"],
        ["after a hover: requests", "hovered: requests", ""],
        ["bytes", "hovered: bytes", "kB"],
        ["time", "hovered: time", "ms"],
      ]),
      table("Worker", contenders, [
        ["minified", "worker", "kB"],
        ["gzip -9", "worker, compressed", "kB"],
        ["start to first answer", "start", "ms"],
        ["CPU of the start", "start: CPU", "ms"],
      ]),
      table("A page with a loader", contenders, [
        ["requests", "rate", "/s"],
        ["CPU of one", "CPU", "µs"],
      ]),
    ],
    goals,
  };
}
