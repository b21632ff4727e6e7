import { carryOut, type Contenders, type Job, type Order } from "./contender.ts";
import type { Peers } from "./peers.ts";

/** Bindings of the worker: which contender it is, and what that one needs. */
export interface WorkerBindings extends Record<string, unknown> {
  CONTENDER: string;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack}${
    error.cause === undefined ? "" : `\nbecause of ${describe(error.cause)}`
  }`;
}

/** Makes the worker that is one contender: it carries out the order in the body of each request. */
export function serveWorker(
  contenders: Contenders,
  peers: Peers,
): { fetch(request: Request, bindings: WorkerBindings): Promise<Response> } {
  let job: Job | undefined;
  return {
    async fetch(request, bindings) {
      try {
        job ??= await contenders[bindings.CONTENDER]!({ peers, bindings });
        const order = await request.json() as Order;
        if (order.prepare) {
          await job.prepare?.(order.jobs);
          return Response.json({ microseconds: 0, batch: job.batch ?? 1, heap: null });
        }
        const before = performance.now();
        await carryOut(job, order);
        const microseconds = (performance.now() - before) * 1000;
        return Response.json({ microseconds, batch: job.batch ?? 1, heap: null });
      } catch (error) {
        return new Response(describe(error), { status: 500 });
      }
    },
  };
}
