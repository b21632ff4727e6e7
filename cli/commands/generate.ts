import { writeTypes } from "../app/types.ts";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { authSteps, planAuth, planUpgrade } from "../generate/auth.ts";
import {
  authStatements,
  authTables,
  SCHEMA_DIALECTS,
  SCHEMA_TOOLS,
  type SchemaDialect,
  type SchemaTool,
} from "../generate/auth_schema.ts";
import { planCi } from "../generate/ci.ts";
import { planContainer } from "../generate/container.ts";
import { planGuards } from "../generate/guards.ts";
import { type GeneratedType, planFiles, type PlannedFile } from "../generate/plan.ts";
import { defaultSchedule } from "../generate/background.ts";
import { stateTypes } from "../generate/states.ts";
import { writeGenerated, type WrittenFile } from "../generate/write.ts";
import { createMigration } from "../migrate/files.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";

/** Types that create files in the project by a template; all but `guards`, `migration`, `auth`, `ci` and `container`. */
const templated = [
  ...["page", "layout", "route", "middleware", "component", "action"],
  ...stateTypes,
  ...["queue", "cron", "object", "seed"],
];
const types = [...templated, "guards", "migration", "auth", "ci", "container"];

function listTypes(): string {
  return `${types.slice(0, -1).join(", ")} or ${types.at(-1)}`;
}

/** `framework generate <type> <name>`. */
export const command: Command = {
  name: "generate",
  summary: "Create pages, routes, queues, migrations, accounts, CI or container files",
  positionals: [
    { name: "type", summary: listTypes(), required: true, choices: types },
    {
      name: "name",
      summary: "Route (users/[id], /users/:id), name (UserCard, add_posts), github or gitlab",
      completes: "routes",
      required: false,
    },
  ],
  options: {
    loader: { type: "boolean", summary: "Add a loader to the page" },
    schedule: {
      type: "string",
      default: defaultSchedule,
      summary: "Cron expression of the job, in UTC",
      placeholder: "expression",
    },
    test: { type: "boolean", default: true, summary: "Also create a test" },
    upgrade: {
      type: "boolean",
      summary: "Create the migration that updates the tables of auth",
    },
    schema: {
      type: "string",
      choices: SCHEMA_TOOLS,
      summary: "Print the tables of auth as a schema of this tool",
      placeholder: "tool",
    },
    dialect: {
      type: "string",
      default: "sqlite",
      choices: SCHEMA_DIALECTS,
      summary: "Database of --schema",
      placeholder: "database",
    },
    sql: { type: "boolean", summary: "Print the SQL that --schema does not express" },
    force: { type: "boolean", summary: "Replace existing files" },
    "dry-run": { type: "boolean", summary: "Show what would be written, without writing" },
    json: { type: "boolean", summary: "Print the files as JSON" },
  },
  examples: [
    "framework generate page users/[id] --loader",
    "framework generate route /api/posts/:id",
    "framework generate component UserCard",
    "framework generate action contact",
    "framework generate not-found",
    "framework generate layout /",
    "framework generate queue mails",
    'framework generate cron nightly --schedule "0 3 * * *"',
    "framework generate object ChatRoom",
    "framework generate seed development",
    "framework generate guards",
    "framework generate auth",
    "framework generate auth --schema drizzle --dialect postgresql",
    "framework generate ci github",
    "framework generate container",
  ],
  async run(ctx) {
    const { output, values } = ctx;
    const [type = "", name = ofRoot(type) ? "/" : type === "seed" ? "development" : ""] =
      ctx.positionals;
    refuseMeaningless(type, ctx);
    refuseWrongName(type, ctx);
    const tool = values["schema"] as SchemaTool | undefined;
    if (tool !== undefined) {
      const write = values["sql"] === true ? authStatements : authTables;
      output.data(write(tool, values["dialect"] as SchemaDialect));
      return ExitCode.ok;
    }
    const config = await loadConfig(ctx.cwd, ctx.config);
    const dryRun = values["dry-run"] === true;
    const written = type === "migration"
      ? await migration(config, name)
      : await writeGenerated(await plan(type, name, { ctx, config }), {
        root: config.root,
        force: values["force"] === true,
        dryRun,
        signal: ctx.signal,
      });
    // Editors know the new binding at once. Mistakes of other files are reported by their commands.
    if (!dryRun && (type === "queue" || type === "object")) {
      await writeTypes(config).catch(() => []);
    }
    if (values["json"] === true) {
      const shown = written.map(({ path, action }) => ({
        path: displayPath(config.root, path),
        action,
      }));
      output.data(JSON.stringify({ dryRun, files: shown }, null, 2));
      return ExitCode.ok;
    }
    if (written.length === 0) output.success("The tables of @framework/auth are up to date");
    const words = dryRun
      ? { create: "Would create", overwrite: "Would replace", change: "Would change" }
      : { create: "Created", overwrite: "Replaced", change: "Changed" };
    for (const { path, action } of written) {
      output.success(`${words[action]} ${displayPath(config.root, path)}`);
    }
    if (type === "auth" && !dryRun && written.length > 0) {
      for (const step of await authSteps(config, values["upgrade"] === true)) output.info(step);
    }
    return ExitCode.ok;
  },
};

type Written = WrittenFile[];

/** Returns true for files that are those of the whole application when no folder is named. */
function ofRoot(type: string): boolean {
  return ["layout", "middleware", ...stateTypes].includes(type);
}

async function plan(
  type: string,
  name: string,
  { ctx: { values }, config }: { ctx: CommandContext; config: ProjectConfig },
): Promise<PlannedFile[]> {
  if (type === "ci") return planCi(name, config);
  if (type === "container") return planContainer(config);
  if (type === "guards") return await planGuards(config);
  if (type === "auth") {
    if (values["upgrade"] === true) return await planUpgrade(config);
    return await planAuth(config, values["force"] === true);
  }
  return await planFiles(type as GeneratedType, name, {
    config,
    loader: values["loader"] === true,
    test: values["test"] === true,
    schedule: String(values["schedule"]),
  });
}

async function migration(config: ProjectConfig, name: string): Promise<Written> {
  const { up, down } = await createMigration(config.migrationsDir, name);
  return [up, down].map((path) => ({ path, action: "create" }));
}

/** Refuses options that have no effect, because they are mistakes. */
function refuseMeaningless(type: string, { explicit }: CommandContext): void {
  const only: [string, string[]][] = [
    ["loader", ["page"]],
    ["schedule", ["cron"]],
    ["test", templated],
    ["force", [...templated, "guards", "auth", "ci", "container"]],
    ["dry-run", [...templated, "guards", "auth", "ci", "container"]],
    ["upgrade", ["auth"]],
    ["schema", ["auth"]],
    ["dialect", ["auth"]],
    ["sql", ["auth"]],
  ];
  const wrong = only.find(([option, types]) => explicit.has(option) && !types.includes(type));
  if (wrong === undefined) return refuseApart(explicit);
  const [option, types] = wrong;
  throw new CliError(`The option --${option} cannot be used with ${type}.`, {
    hint: types.length === 1 ? `It can be used with ${types[0]}.` : "Leave it out.",
  });
}

/** Refuses options of `--schema` without it, and those that go with files: nothing is written. */
function refuseApart(explicit: Set<string>): void {
  const printed = explicit.has("schema");
  const names = printed ? ["upgrade", "force", "dry-run", "json"] : ["dialect", "sql"];
  const option = names.find((name) => explicit.has(name));
  if (option === undefined) return;
  throw new CliError(
    `The option --${option} cannot be used with${printed ? "" : "out"} --schema.`,
    {
      hint: printed
        ? "It prints the tables, and writes no file."
        : "Pass --schema drizzle or prisma.",
    },
  );
}

/** Refuses a wrong name: the tables of auth and the container need none, because there is one place for
 * them; seeds, and files for all that is below a folder, have a usual one. */
function refuseWrongName(type: string, { positionals: [, name] }: CommandContext): void {
  if (type === "auth" && name !== undefined) {
    throw new CliError("`framework generate auth` takes no name.", {
      hint: "Run `framework generate auth`, or `framework generate auth --upgrade`.",
    });
  }
  if ((type === "container" || type === "guards") && name !== undefined) {
    throw new CliError(`\`framework generate ${type}\` takes no name.`, {
      hint: `Run \`framework generate ${type}\`.`,
    });
  }
  const nameless = ["auth", "container", "guards", "seed"].includes(type) || ofRoot(type);
  if (nameless || name !== undefined) return;
  throw new CliError("The argument <name> is missing.", {
    hint: type === "ci"
      ? "Pass github or gitlab."
      : "Run `framework generate --help` for examples. The root is /.",
  });
}
