import process from "node:process";

/** Runs work with NODE_ENV, and gives what was written to the terminal. */
export async function inEnvironment(
  value: string | undefined,
  work: () => unknown,
): Promise<string> {
  const { NODE_ENV: before } = process.env;
  const { console: own } = globalThis;
  let written = "";
  globalThis.console = Object.create(own, {
    info: { value: (text: string) => void (written += text) },
  });
  if (value === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = value;
  try {
    await work();
  } finally {
    globalThis.console = own;
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  return written;
}
