import type { CommandRegistry } from "./command.ts";

/** All commands, in the order of the help. */
export const commands: CommandRegistry = {
  init: {
    summary: "Write a new application",
    load: async () => (await import("./init.ts")).command,
  },
  dev: {
    summary: "Serve the application and reload it when a file changes",
    load: async () => (await import("./dev.ts")).command,
  },
  build: {
    summary: "Build the worker for production",
    load: async () => (await import("./build.ts")).command,
  },
  migrate: {
    summary: "Create and apply database migrations",
    load: async () => (await import("./migrate.ts")).group,
  },
};
