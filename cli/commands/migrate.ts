import type { CommandGroup } from "./command.ts";

/** `framework migrate`. */
export const group: CommandGroup = {
  name: "migrate",
  summary: "Create and apply database migrations",
  commands: {
    create: {
      summary: "Write the files of a new migration",
      load: async () => (await import("./migrate_create.ts")).command,
    },
    up: {
      summary: "Apply all pending migrations",
      load: async () => (await import("./migrate_up.ts")).command,
    },
    status: {
      summary: "Show which migrations are applied",
      load: async () => (await import("./migrate_status.ts")).command,
    },
  },
};
