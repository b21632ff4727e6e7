import { join } from "node:path";
import type { WorkerCode } from "./bundler.ts";
import { explainError } from "./explain.ts";
import type { Explanation, ServeRequest, ServeResult } from "./protocol.ts";
import { createPositionMapper } from "./source_positions.ts";
import { type Emulator, loadMiniflare } from "./tools.ts";
import { workerOptions } from "./worker_options.ts";

/** How workerd begins the message that a worker does not start; the caller of `serve` tells it. */
const startFailure = /^service core:user:[^:]*: /gm;

/** Runs the worker in workerd. */
export interface Runner {
  serve(request: ServeRequest, worker: WorkerCode): Promise<ServeResult>;
  /** Says where an error of the worker that runs comes from. */
  explain(text: string): Explanation;
  dispose(): Promise<void>;
}

/**
 * Makes the runner. miniflare is loaded from the project when it is first needed.
 *
 * @param log Takes what the worker logs, with places in the application's files.
 */
export function createRunner(log: (line: string) => void): Runner {
  let emulator: Emulator | undefined;
  let mapPositions = (text: string): string => text;
  let running: { request: string; worker: WorkerCode; url: string } | undefined;
  let root = "";
  return {
    async serve(request, worker) {
      const { code, map, packages } = worker;
      root = request.root;
      const folder = join(root, ".framework", "memory");
      const maps = { "worker.js": map, "packages.js": packages?.map ?? null };
      mapPositions = createPositionMapper(maps, { map: folder, root });
      const options = {
        ...workerOptions(request, code, {
          modules: packages ? { ...packages.modules, "packages.js": packages.code } : {},
        }),
        handleStructuredLogs: ({ message }: { message: string }) => {
          if (message.search(startFailure) !== 0) log(mapPositions(message));
        },
      };
      // A save that changes nothing in the worker, of a test for example, restarts nothing.
      const asked = JSON.stringify(request);
      const isSame = running?.request === asked && running.worker.code === code &&
        running.worker.packages === packages;
      if (running && isSame) return { ok: true, url: running.url };
      running = undefined;
      try {
        if (emulator) {
          await emulator.setOptions(options);
        } else {
          const { Miniflare } = loadMiniflare(root);
          emulator = new Miniflare(options);
        }
        const { href } = await emulator.ready;
        running = { request: asked, worker, url: href };
        return { ok: true, url: href };
      } catch (error) {
        return { ok: false, message: mapPositions(describeFailure(error)) };
      }
    },
    explain: (text) => explainError(mapPositions(text), root),
    async dispose() {
      await emulator?.dispose();
    },
  };
}

/** What workerd said is the part that helps; what miniflare says around it is not. */
function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, stderr] = message.split("Runtime stderr:\n");
  const lines = (stderr ?? message).split("\n").map(readStructuredLine);
  return lines.join("\n").replace(startFailure, "").trim();
}

/** workerd writes its own messages as lines of JSON when it does so with the worker's. */
function readStructuredLine(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === "string" ? message : line;
  } catch {
    return line;
  }
}
