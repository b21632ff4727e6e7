import { inspect } from "node:util";

const CALLS = 12;
const LENGTH = 300;

/** A call of an operation. It is written when a case fails, since most calls are never read. */
interface Call {
  operation: string;
  given: readonly unknown[];
  result?: unknown;
  error?: unknown;
  isOver: boolean;
}

/** The calls that a case makes, for the message of one that fails. */
export interface CallLog {
  /** Notes what is called from now on. */
  listen<T extends object>(target: T): T;
  /** Adds the last calls to the message of an error. */
  explain(error: unknown): unknown;
}

function write(value: unknown): string {
  const text = inspect(value, { depth: 4, breakLength: Infinity, compact: true });
  return text.length > LENGTH ? `${text.slice(0, LENGTH)} …` : text;
}

function writeCall({ operation, given, result, error, isOver }: Call): string {
  const outcome = !isOver
    ? "under way"
    : error === undefined
    ? write(result)
    : `throws ${error instanceof Error ? error.name : write(error)}`;
  return `  ${operation}(${given.map(write).join(", ")}) → ${outcome}`;
}

/** Makes a log without a call. */
export function createCallLog(): CallLog {
  const calls: Call[] = [];
  let earlier = 0;

  function note(operation: string, given: readonly unknown[]): Call {
    const call: Call = { operation, given, isOver: false };
    calls.push(call);
    if (calls.length > CALLS) {
      calls.shift();
      earlier++;
    }
    return call;
  }

  return {
    listen: (target) =>
      new Proxy(target, {
        get(object, name) {
          const value: unknown = Reflect.get(object, name);
          if (typeof value !== "function" || typeof name === "symbol" || name === "group") {
            return value;
          }
          return (...given: unknown[]) => {
            const call = note(name, given);
            const fail = (error: unknown) => {
              Object.assign(call, { error, isOver: true });
              throw error;
            };
            const answer = (result: unknown) => {
              Object.assign(call, { result, isOver: true });
              return result;
            };
            try {
              const result: unknown = Reflect.apply(value, object, given);
              // An answer at once stays one: readSession() of a store in the process is not waited for.
              return result instanceof Promise ? result.then(answer, fail) : answer(result);
            } catch (error) {
              return fail(error);
            }
          };
        },
      }),
    explain(error) {
      if (!(error instanceof Error) || calls.length === 0) return error;
      const before = earlier === 0 ? "" : `, after ${earlier} others`;
      const { message, stack } = error;
      error.message = `${message}\n\nThe last calls of the storage${before}:\n${
        calls.map(writeCall).join("\n")
      }\n`;
      // Runners print the stack, which began with the message when the error was made.
      if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
      return error;
    },
  };
}
