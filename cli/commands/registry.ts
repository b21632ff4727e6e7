import type { CommandRegistry } from "../terminal/command.ts";

/** All commands, in the order of the help. */
export const commands: CommandRegistry = {
  init: {
    summary: "Create a new application",
    load: async () => (await import("./init.ts")).command,
  },
  dev: {
    summary: "Serve the application and reload it when a file changes",
    load: async () => (await import("./dev.ts")).command,
  },
  build: {
    summary: "Build for production: the worker, or a server",
    load: async () => (await import("./build.ts")).command,
  },
  deploy: {
    summary: "Build the worker and deploy it with wrangler",
    load: async () => (await import("./deploy.ts")).command,
  },
  generate: {
    summary: "Create pages, routes, queues, migrations, accounts, CI or container files",
    load: async () => (await import("./generate.ts")).command,
  },
  routes: {
    summary: "List the routes in match order",
    load: async () => (await import("./routes.ts")).command,
  },
  openapi: {
    summary: "Describe the endpoints of accounts and sign-in for clients in other languages",
    load: async () => (await import("./openapi.ts")).command,
  },
  types: {
    summary: "Write the types of folders, tables and bindings, for an editor",
    load: async () => (await import("./types.ts")).command,
  },
  typecheck: {
    summary: "Check the application's types",
    load: async () => (await import("./typecheck.ts")).command,
  },
  lint: {
    summary: "Check the framework's conventions and run the project's linter",
    load: async () => (await import("./lint.ts")).command,
  },
  test: {
    summary: "Run the application's tests",
    load: async () => (await import("./test.ts")).command,
  },
  migrate: {
    summary: "Create and apply database migrations",
    load: async () => (await import("./migrate.ts")).group,
  },
  seed: {
    summary: "Write the data of an environment to the database",
    load: async () => (await import("./seed.ts")).command,
  },
  secret: {
    summary: "Generate a secret and write it to .dev.vars",
    load: async () => (await import("./secret.ts")).command,
  },
  doctor: {
    summary: "Check the project and say what to fix",
    load: async () => (await import("./doctor.ts")).command,
  },
  completions: {
    summary: "Print the completion script of a shell",
    load: async () => (await import("./completions.ts")).command,
  },
};
