/**
 * Beginning of the stack of an error: the line of the test that called the library, which is what runners show.
 *
 * @module
 */

type AnyFunction = (...given: never[]) => unknown;

// Weak: the methods of a context hold its database.
const called: WeakRef<AnyFunction>[] = [];
const FRAME = /^\s+at /;
const PACKAGES = "/node_modules/@framework/";
// By this very file: not every runner says an address of modules.
const FOLDER = /(\/[^\s()]*\/)[^/]+:\d+:\d+\)?$/.exec(framesOf(new Error())[0] ?? "")?.[1];
const OWN = FOLDER?.includes(PACKAGES) ? PACKAGES : FOLDER?.replace(/^\/\/(?=\/)/, "");

/** Names functions that tests call, and the methods of objects that they are given. */
export function beginAtCallers(...named: (AnyFunction | object)[]): void {
  // Missing in workerd for compatibility dates before May 2025: there stacks stay whole.
  if (typeof WeakRef === "undefined") return;
  for (const one of named) {
    const functions = typeof one === "function"
      ? [one]
      : Object.values(Object.getOwnPropertyDescriptors(one)).map(({ get, value }) => get ?? value);
    for (const each of functions) if (typeof each === "function") called.push(new WeakRef(each));
  }
}

function framesOf({ stack = "" }: { stack?: string }): string[] {
  return stack.split("\n").filter((line) => FRAME.test(line));
}

function isOwn(frame: string): boolean {
  // The library and its tests are in one folder in its repository, and nowhere else.
  return OWN !== undefined && frame.includes(OWN) && !/_test\.tsx?:/.test(frame);
}

/**
 * Leaves out of the stack of an error what the library itself has called, down to the test. Runners read the frames of
 * Deno's errors from the engine: another text in `stack` would not reach them.
 */
export function beginAtCaller(error: Error): void {
  const { captureStackTrace, stackTraceLimit } = Error;
  if (captureStackTrace === undefined) return;
  // The test stands behind whatever the library does.
  Error.stackTraceLimit = 100;
  try {
    const whole: { stack?: string } = {};
    captureStackTrace(whole);
    const text = whole.stack ?? "";
    let best: { from: AnyFunction; length: number } | undefined;
    for (const from of called.map((one) => one.deref())) {
      if (from === undefined || !text.includes(from.name)) continue;
      const rest: { stack?: string } = {};
      captureStackTrace(rest, from);
      const frames = framesOf(rest);
      const isNearer = frames.length > (best?.length ?? 0);
      if (isNearer && !isOwn(frames[0]!)) best = { from, length: frames.length };
    }
    if (best !== undefined) captureStackTrace(error, best.from);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
