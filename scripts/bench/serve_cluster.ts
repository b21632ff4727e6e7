import cluster from "node:cluster";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";

/** The ports of one of several processes: the one that they share, and its own. */
interface Ports {
  shared: number;
  own: number;
}

/** Where the processes are reached, as the first of them prints it. */
export interface ClusterPorts {
  /** The port whose connections they get in turn. */
  port: number;
  /** The port of each process. */
  ports: number[];
}

function listen(listener: RequestListener, exclusive: boolean): Promise<number> {
  const server = createServer(listener);
  return new Promise((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", exclusive }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Returns true in the process that {@linkcode startCluster} is for. */
export function isPrimary(): boolean {
  return cluster.isPrimary;
}

/** Serves in a process that {@linkcode startCluster} has started. */
export async function serveInCluster(listener: RequestListener): Promise<void> {
  const [shared, own] = [await listen(listener, false), await listen(listener, true)];
  process.send!({ shared, own } satisfies Ports);
}

/**
 * Starts this program so many times on Node. The processes get the connections of one port in turn from this one,
 * which serves nothing itself; each has a port of its own besides.
 */
export async function startCluster(count: number): Promise<void> {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const all = await Promise.all(
    Array.from({ length: count }, () =>
      new Promise<Ports>((resolve, reject) => {
        const worker = cluster.fork();
        worker.once("message", resolve);
        worker.once("exit", (code) => reject(new Error(`A process ended: ${code}`)));
      })),
  );
  const told: ClusterPorts = { port: all[0]!.shared, ports: all.map(({ own }) => own) };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
