import type { CommandGroup } from "../terminal/command.ts";

/** `framework migrate`. */
export const group: CommandGroup = {
  name: "migrate",
  summary: "Create and apply database migrations",
  commands: {
    create: {
      summary: "Create the files of a new migration",
      load: async () => (await import("./migrate_create.ts")).command,
    },
    up: {
      summary: "Apply all pending migrations",
      load: async () => (await import("./migrate_up.ts")).command,
    },
    down: {
      summary: "Revert the last migration",
      load: async () => (await import("./migrate_down.ts")).command,
    },
    status: {
      summary: "Show which migrations have been applied",
      load: async () => (await import("./migrate_status.ts")).command,
    },
    reset: {
      summary: "Revert all migrations",
      load: async () => (await import("./migrate_reset.ts")).command,
    },
  },
};
