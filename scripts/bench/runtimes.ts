import { Miniflare } from "miniflare";
import { join } from "node:path";
import { findNodes } from "../../tests/support/node.ts";
import { TextLineStream } from "../../tests/support/text_line_stream.ts";
import { bundleProgram } from "./bundle_program.ts";
import type { Order } from "./contender.ts";
import { childProcesses, cpuTimeOf } from "./cpu_time.ts";
import { startWorkerd } from "./workerd.ts";

/** Outcome of an order. */
export interface Outcome {
  /** Of CPU time, or of the wall where nobody tells the CPU time. */
  microseconds: number;
  /** Number of operations in one call of each job. */
  batch: number;
  /** Bytes of living objects afterwards, in a process that was started to tell it. */
  heap: number | null;
  /** Bytes of the process in memory, where it tells the living objects. */
  resident?: number;
  /** Microseconds of the wall that each job took, in a process that was asked for them. */
  times?: number[];
}

/** A contender that waits for orders. */
export interface Participant {
  name: string;
  carryOut(order: Order): Promise<Outcome>;
}

/** Contenders that wait for orders, all in one runtime. */
export interface Field {
  participants: Participant[];
  /** Those that could not be started, and why. */
  failed: { name: string; error: unknown }[];
  close(): Promise<void>;
}

/** Runtimes of the measurements. */
export type RuntimeName = "Node" | "Deno" | "workerd";

/** Parts to start. */
export interface FieldOptions {
  /** Name of the file in the folder `programs`. */
  program: string;
  /** Names of its contenders. */
  names: readonly string[];
  /** Folder of the peers. */
  peers: string;
  /** Has processes tell their living objects. Default false. */
  heap?: boolean;
  /** Gives each worker a database of D1, `DB`, by miniflare. Default false. */
  d1?: boolean;
  /** Added to the environment of processes. Default: nothing. */
  env?: Readonly<Record<string, string>>;
}

function processArgs(runtime: "Node" | "Deno", file: string, heap: boolean): string[] {
  if (runtime === "Node") return [...heap ? ["--expose-gc"] : [], file];
  return ["run", "-A", "--no-config", ...heap ? ["--v8-flags=--expose-gc"] : [], file];
}

async function startProcess(
  program: string,
  args: string[],
  { name, env }: { name: string; env: FieldOptions["env"] },
) {
  const child = new Deno.Command(program, {
    args: [...args, name],
    env: { NO_COLOR: "1", NODE_NO_WARNINGS: "1", NODE_ENV: "production", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "";
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (said = (said + text).slice(-4000)) }),
  );
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  const orders = child.stdin.getWriter();
  async function read(): Promise<unknown> {
    const { value, done } = await lines.read();
    if (!done) return JSON.parse(value);
    await errors;
    throw new Error(`"${name}" ended:\n${said}`);
  }
  async function close(): Promise<void> {
    await orders.close().catch(() => {});
    await lines.cancel();
    await Promise.all([errors, child.status]);
  }
  const participant: Participant = {
    name,
    async carryOut(order) {
      await orders.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
      return await read() as Outcome;
    },
  };
  try {
    await read();
  } catch (error) {
    await close();
    throw error;
  }
  return { participant, close };
}

async function startProcesses(
  runtime: "Node" | "Deno",
  { program, names, peers, heap = false, env }: FieldOptions,
): Promise<Field> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  const [file] = await bundleProgram(program, "process", { peers, outdir: folder });
  const command = runtime === "Node" ? (await findNodes()).newest : Deno.execPath();
  const started: Awaited<ReturnType<typeof startProcess>>[] = [];
  async function close(): Promise<void> {
    await Promise.all(started.map((one) => one.close()));
    await Deno.remove(folder, { recursive: true });
  }
  const failed: Field["failed"] = [];
  for (const name of names) {
    try {
      const args = processArgs(runtime, join(folder, file!), heap);
      started.push(await startProcess(command, args, { name, env }));
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return { participants: started.map(({ participant }) => participant), failed, close };
}

async function sendOrder(
  send: (body: string) => Promise<{ ok: boolean; text(): Promise<string> }>,
  name: string,
  order: Order,
): Promise<Outcome> {
  const response = await send(JSON.stringify(order));
  const text = await response.text();
  if (!response.ok) throw new Error(`"${name}" answered:\n${text}`);
  return JSON.parse(text) as Outcome;
}

type Send = Parameters<typeof sendOrder>[0];

/** A worker of a workerd; of one whose process is unknown, null, the wall is measured. */
function workerdParticipant(
  name: string,
  { pid, send }: { pid: number | null; send: Send },
): Participant {
  async function used(): Promise<number | null> {
    return pid === null ? null : await cpuTimeOf(pid);
  }
  return {
    name,
    async carryOut(order) {
      await sendOrder(send, name, { ...order, prepare: true });
      const before = await used();
      const outcome = await sendOrder(send, name, order);
      const after = await used();
      return before === null || after === null
        ? outcome
        : { ...outcome, microseconds: after - before };
    },
  };
}

async function startWorkers({ program, names, peers, d1 = false }: FieldOptions): Promise<Field> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
  const files = await bundleProgram(program, "worker", { peers, outdir: folder });
  if (!d1) {
    const services = names.map((name) => ({ name, bindings: { CONTENDER: name } }));
    const { pid, origins, stop } = await startWorkerd(folder, files, services);
    return {
      participants: names.map((name) => {
        const send: Send = (body) => fetch(origins.get(name)!, { method: "POST", body });
        return workerdParticipant(name, { pid, send });
      }),
      failed: [],
      async close() {
        await stop();
        await Deno.remove(folder, { recursive: true });
      },
    };
  }
  const modules = await Promise.all(files.map(async (path) => ({
    type: "ESModule" as const,
    path,
    contents: await Deno.readTextFile(join(folder, path)),
  })));
  const others = await childProcesses();
  const emulator = new Miniflare({
    workers: names.map((name, index) => ({
      name: `worker${index}`,
      modules,
      compatibilityDate: "2026-07-30",
      compatibilityFlags: ["nodejs_compat"],
      bindings: { CONTENDER: name },
      d1Databases: { DB: `bench${index}` },
    })),
  });
  await emulator.ready;
  const [pid = null] = (await childProcesses()).filter((id) => !others.includes(id));
  return {
    participants: await Promise.all(names.map(async (name, index) => {
      const { fetch: send } = await emulator.getWorker(`worker${index}`) as unknown as {
        fetch(url: string, init: { method: string; body: string }): Promise<Response>;
      };
      return workerdParticipant(name, {
        pid,
        send: (body) => send("http://localhost/", { method: "POST", body }),
      });
    })),
    failed: [],
    async close() {
      await emulator.dispose();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Starts contenders in a runtime, each apart from the others. */
export function startField(runtime: RuntimeName, options: FieldOptions): Promise<Field> {
  return runtime === "workerd" ? startWorkers(options) : startProcesses(runtime, options);
}
