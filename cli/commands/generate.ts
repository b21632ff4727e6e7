import { type GeneratedType, planFiles } from "../generate/plan.ts";
import { writeGenerated } from "../generate/write_generated.ts";
import { createMigration } from "../migrate/create_migration.ts";
import { loadConfig, type ProjectConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { Command, CommandContext } from "./command.ts";

/** `framework generate <type> <name>`. */
export const command: Command = {
  name: "generate",
  summary: "Write a page, layout, route, middleware, component or migration",
  positionals: [
    {
      name: "type",
      summary: "page, layout, route, middleware, component or migration",
      required: true,
      choices: ["page", "layout", "route", "middleware", "component", "migration"],
    },
    {
      name: "name",
      summary: "Place of a route (users/[id], /users/:id), or a name (UserCard, add_posts)",
      required: true,
    },
  ],
  options: {
    loader: { type: "boolean", summary: "Give the page a loader" },
    test: { type: "boolean", default: true, summary: "Write its test too" },
    force: { type: "boolean", summary: "Replace files that exist" },
    "dry-run": { type: "boolean", summary: "Say what would be written, and write nothing" },
    json: { type: "boolean", summary: "Print the files as JSON" },
  },
  examples: [
    "framework generate page users/[id] --loader",
    "framework generate route /api/posts/:id",
    "framework generate component UserCard",
  ],
  async run(ctx) {
    const { output, values } = ctx;
    const [type = "", name = ""] = ctx.positionals;
    refuseMeaningless(type, ctx);
    const config = await loadConfig(ctx.cwd, ctx.config);
    const dryRun = values["dry-run"] === true;
    const written = type === "migration"
      ? await migration(config, name)
      : await files(type as GeneratedType, name, { ctx, config, dryRun });
    if (values["json"] === true) {
      const shown = written.map(({ path, action }) => ({
        path: displayPath(config.root, path),
        action,
      }));
      output.data(JSON.stringify({ dryRun, files: shown }, null, 2));
      return ExitCode.ok;
    }
    const words = dryRun
      ? { create: "Would create", overwrite: "Would replace" }
      : { create: "Created", overwrite: "Replaced" };
    for (const { path, action } of written) {
      output.success(`${words[action]} ${displayPath(config.root, path)}`);
    }
    return ExitCode.ok;
  },
};

type Written = { path: string; action: "create" | "overwrite" }[];

async function files(
  type: GeneratedType,
  name: string,
  { ctx, config, dryRun }: { ctx: CommandContext; config: ProjectConfig; dryRun: boolean },
): Promise<Written> {
  const { values, signal } = ctx;
  const plan = await planFiles(type, name, {
    config,
    loader: values["loader"] === true,
    test: values["test"] === true,
  });
  return await writeGenerated(plan, {
    root: config.root,
    force: values["force"] === true,
    dryRun,
    signal,
  });
}

async function migration(config: ProjectConfig, name: string): Promise<Written> {
  const { up, down } = await createMigration(config.migrationsDir, name);
  return [up, down].map((path) => ({ path, action: "create" }));
}

/** An option that would do nothing was a mistake. */
function refuseMeaningless(type: string, { explicit }: CommandContext): void {
  const only: [string, string[]][] = [
    ["loader", ["page"]],
    ["test", ["page", "layout", "route", "middleware", "component"]],
    ["force", ["page", "layout", "route", "middleware", "component"]],
    ["dry-run", ["page", "layout", "route", "middleware", "component"]],
  ];
  const wrong = only.find(([option, types]) => explicit.has(option) && !types.includes(type));
  if (wrong === undefined) return;
  const [option, types] = wrong;
  throw new CliError(`Option --${option} does not go with ${type}.`, {
    hint: types.length === 1 ? `It goes with ${types[0]}.` : "Leave it out.",
  });
}
