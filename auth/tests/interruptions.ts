/** Interruption between two calls of a storage, and its place. */
export interface Interruption {
  /** Before which call of those that are made meanwhile. */
  at: number;
  work: () => Promise<unknown>;
}

/** Storages between whose calls something happens. */
export interface Interruptions {
  /** The same storage, whose calls are seen. */
  over<Port extends object>(port: Port): Port;
  /** The names of the calls that some work makes, while something happens before one of them. */
  record(work: () => Promise<unknown>, interruption?: Interruption): Promise<string[]>;
}

/** Prepares interruptions. */
export function createInterruptions(): Interruptions {
  let calls: string[] | null = null;
  let pending: Interruption | undefined;
  const interruptions: Interruptions = {
    over: (port) =>
      new Proxy(port, {
        get(target, name) {
          const value = Reflect.get(target, name, target);
          // It asks nobody: what it gives does.
          if (name === "group" && typeof value === "function") {
            return (wanted: unknown) => {
              const operations = value.call(target, wanted);
              return operations && interruptions.over(operations);
            };
          }
          // Sweeps come by chance, in the background; what prepares a statement asks nobody.
          if (
            typeof value !== "function" || typeof name !== "string" ||
            name === "sweep" || name.startsWith("prepare")
          ) return value;
          return async (...given: unknown[]) => {
            if (calls !== null) {
              const recorded = calls;
              if (recorded.length === pending?.at) {
                // What happens meanwhile is not interrupted itself.
                calls = null;
                await pending.work();
                calls = recorded;
              }
              recorded.push(name);
            }
            return await value.apply(target, given);
          };
        },
      }),
    async record(work, interruption) {
      const recorded: string[] = [];
      calls = recorded;
      pending = interruption;
      await work();
      calls = null;
      return recorded;
    },
  };
  return interruptions;
}
