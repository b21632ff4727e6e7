import { request as httpRequest } from "node:http";

/** A request that the worker has not answered to its end. */
export interface OpenRequest {
  /** Method and path. */
  name: string;
  /** True once the answer's head has come. */
  isBegun: boolean;
  /** True when nobody waits for the answer any more. */
  isLeft: boolean;
  /** Number of bytes of its body that were taken from it so far. */
  taken: number;
  /** Gives the answer up. */
  fail(reason: WorkerHang): void;
}

/** Watches that the worker answers, while requests are open. */
export interface HangWatch {
  /** Notes a request that is sent to the worker. */
  add(request: OpenRequest): void;
  /** Notes that the worker is done with a request. */
  remove(request: OpenRequest): void;
  close(): void;
}

/** Options for {@linkcode createHangWatch}. */
export interface HangWatchOptions {
  /** Address of the worker, which answers every request at once, without the application's code. */
  url: string;
  /** Called for a worker that answers nothing, after its open requests were given up. */
  onHang(reason: WorkerHang): void;
  /** Time between questions to the worker, in milliseconds. Default: 2 seconds. */
  pause?: number;
  /**
   * Times for an answer to a question, then to its repetitions, in milliseconds. The last ones are for
   * a machine that slept or a process that was stopped meanwhile, whose first time is over before an
   * answer can be read. Default: 5 and 3 seconds.
   */
  patience?: readonly number[];
}

/**
 * Bytes of bodies that a worker must have taken since the last question to be busy with them, and not to hang: workerd
 * answers nothing else while a large upload goes on. What a worker that hangs seems to take goes into buffers of the
 * system, which are full after some megabytes.
 */
const busy = 1024 * 1024;

/** Error for requests to a worker that answers nothing: it runs code that does not end, or is stopped. */
export class WorkerHang extends Error {
  override name = "WorkerHang";

  /** @param requests The open requests, in the order in which they were sent. */
  constructor(requests: readonly OpenRequest[]) {
    const waiting = requests.filter(({ isBegun }) => !isBegun);
    const names = new Set((waiting.length > 0 ? waiting : requests).map(({ name }) => name));
    const shown = [...names].slice(0, 5).join(", ");
    const more = names.size > 5 ? ` and ${names.size - 5} more` : "";
    super(
      "The worker has answered nothing for about ten seconds, was ended and is started again: " +
        `what it had in memory is gone. Without an answer: ${shown}${more}. ` +
        "Look there, or in what ran beside it, for an endless loop, or for a computation or a statement of the " +
        "local database that takes longer.",
    );
  }
}

/**
 * Creates the watch. A worker that takes long for one request and answers others does not hang, and
 * is left alone, and so is one that is busy with the body of a request.
 *
 * @param options The worker, and what is done when it hangs.
 */
export function createHangWatch(options: HangWatchOptions): HangWatch {
  const { url, onHang, pause = 2_000, patience = [5_000, 3_000] } = options;
  const open = new Set<OpenRequest>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function answersInTime(): Promise<boolean> {
    for (const limit of patience) if (await isAnswered(url, limit)) return true;
    return false;
  }

  async function check(): Promise<void> {
    const before = new Map([...open].map((request) => [request, request.taken]));
    const answers = await answersInTime();
    timer = undefined;
    if (closed) return;
    if (answers) {
      for (const request of before.keys()) if (request.isLeft) open.delete(request);
    } else if (open.size > 0 && takenSince(before) < busy) {
      const hanging = [...open];
      const reason = new WorkerHang(hanging);
      open.clear();
      for (const request of hanging) request.fail(reason);
      onHang(reason);
    }
    schedule();
  }

  function takenSince(before: ReadonlyMap<OpenRequest, number>): number {
    return [...open].reduce((sum, each) => sum + each.taken - (before.get(each) ?? each.taken), 0);
  }

  function schedule(): void {
    if (open.size > 0) timer ??= setTimeout(() => void check(), pause);
  }

  return {
    add(request) {
      open.add(request);
      schedule();
    },
    remove: (request) => void open.delete(request),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Returns false when nothing comes in time. A broken connection is something: that worker has ended. */
function isAnswered(url: string, limit: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method: "HEAD", agent: false });
    const settle = (answered: boolean): void => {
      clearTimeout(timer);
      resolve(answered);
      request.destroy();
    };
    const timer = setTimeout(() => settle(false), limit);
    request.on("response", () => settle(true));
    request.on("error", () => settle(true));
    request.end();
  });
}
