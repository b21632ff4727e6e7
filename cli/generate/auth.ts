import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import { createNumberedNames, migrationNames, readMigrations } from "../migrate/files.ts";
import { starterFiles } from "../templates/starter_files.ts";
import { CliError } from "../terminal/exit.ts";
import { postgresRemoval, postgresTables, postgresUpgrades } from "./auth_postgres.ts";
import { type AuthUpgrade, authUpgrades } from "./auth_upgrades.ts";
import type { PlannedFile } from "./plan.ts";

const VERSION =
  /(?:INSERT INTO auth_schema \(version[^)]*\)\s+VALUES \(|UPDATE auth_schema SET version = )(\d+)/g;

function versionIn(sql: string): number | null {
  const versions = [...sql.matchAll(VERSION)].map(([, version]) => Number(version));
  return versions.length === 0 ? null : Math.max(...versions);
}

/** Returns the version of the tables that this release of the command supports. */
export function currentVersion(): number {
  return versionIn(starterFiles["migrations/0001_auth.sql"]!)!;
}

/** The tables that the migrations of a project make. */
interface Found {
  /** Their version; null when there are none. */
  version: number | null;
  /** Names of the files that make and update them. */
  names: string[];
  /** True when they are in the SQL of another database than the project's. */
  isForeign: boolean;
}

async function readTables({ migrationsDir, dialect }: ProjectConfig): Promise<Found> {
  const files = (await readMigrations(migrationsDir)).filter(({ sql }) => versionIn(sql) !== null);
  const text = files.map(({ sql }) => sql).join("\n");
  const [, type] = /\bCREATE TABLE auth_schema \(\s*version (\w+)/.exec(text) ?? [];
  const isForeign = type !== undefined && (type === "BIGINT") !== (dialect === "postgres");
  return { version: versionIn(text), names: files.map(({ name }) => name), isForeign };
}

/** Names of the databases, for messages: that of the project, and the other one. */
function databasesOf(dialect: ProjectConfig["dialect"]): [own: string, other: string] {
  return dialect === "postgres" ? ["PostgreSQL", "SQLite"] : ["SQLite", "PostgreSQL"];
}

/**
 * Plans one migration for all changes since the version found; null when there are none.
 *
 * @throws {CliError} Exit code 1 when there are no tables, or newer ones.
 */
export function planAuthUpgrade(
  found: number | null,
  { current = currentVersion(), upgrades = authUpgrades } = {},
): AuthUpgrade | null {
  if (found === null) {
    throw new CliError("No migration creates the tables of @framework/auth.", {
      hint: "Run `framework generate auth` first.",
    });
  }
  if (found > current) {
    throw new CliError(
      `The tables have version ${found}, but this release supports them only up to version ${current}.`,
      { hint: "Update the packages of the framework." },
    );
  }
  const steps = upgrades.filter(({ version }) => version > found && version <= current);
  if (steps.length === 0) return null;
  return {
    version: current,
    up: steps.map(({ up }) => up).join("\n"),
    down: steps.toReversed().map(({ down }) => down).join("\n"),
  };
}

/**
 * Plans the files that add accounts to an application: configuration, roles, sign-in by email and
 * password, the example of its secrets when it has none, and the migrations. Where `app/auth` is configured, the
 * migrations alone; tables in the SQL of another database are written anew.
 *
 * @param config The project.
 * @param force Whether the files of `app/auth` are replaced, and tables of another database that were edited.
 * @throws {CliError} Exit code 1 when the application has the tables already, or has edited those of another database.
 */
export async function planAuth(config: ProjectConfig, force = false): Promise<PlannedFile[]> {
  const { root, appDir, migrationsDir, dialect } = config;
  const { version, names, isForeign } = await readTables(config);
  if (isForeign) return await translated(config, names, force);
  if (version !== null) {
    throw new CliError(
      `The migrations already create the tables of @framework/auth (version ${version}).`,
      {
        hint: "Run `framework generate auth --upgrade` to bring them up to date.",
      },
    );
  }
  const [auth] = createNumberedNames(await migrationNames(migrationsDir), ["auth"]) as [string];
  const tables = migration(migrationsDir, auth, tablesOf(dialect));
  if (!force && existsSync(join(appDir, "auth", "config.ts"))) return tables;
  const files = [
    { path: join(appDir, "auth", "config.ts"), text: CONFIG, within: appDir },
    { path: join(appDir, "auth", "rbac.ts"), text: RBAC, within: appDir },
    {
      path: join(appDir, "auth", "providers", "passwords.ts"),
      text: PASSWORDS,
      within: appDir,
    },
    ...tables,
  ];
  const example = join(root, ".dev.vars.example");
  return existsSync(example) ? files : [...files, { path: example, text: SECRETS, within: root }];
}

/** Plans the tables in the SQL of the project's database, in the place of another one's, which it never applied. */
async function translated(
  { migrationsDir, dialect }: ProjectConfig,
  [name = "", ...updates]: string[],
  force: boolean,
): Promise<PlannedFile[]> {
  if (updates.length > 0) {
    const [own, other] = databasesOf(dialect);
    throw new CliError(
      `${[name, ...updates].join(", ")}: the tables of @framework/auth are written for ${other}.`,
      {
        hint: `Remove ${updates.join(", ")}, here and in down/, and run the command again: ` +
          `it writes ${name} for ${own}, with the tables as they are now.`,
      },
    );
  }
  const written = await readFile(join(migrationsDir, name), "utf8");
  const { up } = tablesOf(dialect === "postgres" ? "sqlite" : "postgres");
  if (!force && written !== up) {
    throw new CliError(`${name} holds more than the tables of @framework/auth, or older ones.`, {
      hint:
        "Move what you have added into a migration of its own, and run the command with --force.",
    });
  }
  return migration(migrationsDir, name, tablesOf(dialect))
    .map((file) => ({ ...file, edited: true }));
}

/**
 * Returns what is to be done after the files are written, a line for each step.
 *
 * @param config The project.
 * @param upgrade Whether the tables were there before.
 */
export async function authSteps(config: ProjectConfig, upgrade: boolean): Promise<string[]> {
  const tables = `  framework migrate up     ${upgrade ? "updates" : "makes"} the tables`;
  if (upgrade) return ["Next:", tables];
  // A file that cannot be read is for `doctor`, too.
  const isDeclared = config.dialect === "postgres" || await readPlatform(config).then(
    ({ d1Databases }) => d1Databases.some(({ binding }) => binding === config.database),
    () => false,
  );
  return [
    "Next:",
    ...(isDeclared ? [] : ["  framework doctor --fix   declares the database"]),
    "  framework secret         writes AUTH_SECRET into .dev.vars",
    tables,
    config.dialect === "postgres"
      ? "Then the server of `framework build --target node` has accounts: sign up at /auth/signup."
      : "Then `framework dev` has accounts: sign up at /auth/signup, with mails in the terminal.",
  ];
}

/**
 * Plans the migration that updates the tables; empty when they are up to date.
 *
 * @throws {CliError} Exit code 1 when there are no tables to bring up to date, or newer ones.
 */
export async function planUpgrade(config: ProjectConfig): Promise<PlannedFile[]> {
  const { migrationsDir, dialect } = config;
  const { upgrades } = tablesOf(dialect);
  const { version, names, isForeign } = await readTables(config);
  if (isForeign) {
    const [own, other] = databasesOf(dialect);
    throw new CliError(
      `${names[0]} is written for ${other}, and the project's database is ${own}.`,
      { hint: "Run `framework generate auth`, which writes the tables anew." },
    );
  }
  const upgrade = planAuthUpgrade(version, { upgrades });
  if (upgrade === null) return [];
  const [name] = createNumberedNames(await migrationNames(migrationsDir), [
    `auth_version_${upgrade.version}`,
  ]) as [string];
  return migration(migrationsDir, name, upgrade);
}

/** The tables in the SQL of a project's database. */
interface Tables {
  up: string;
  down: string;
  upgrades: readonly AuthUpgrade[];
}

function tablesOf(dialect: ProjectConfig["dialect"]): Tables {
  if (dialect === "postgres") {
    return { up: postgresTables, down: postgresRemoval, upgrades: postgresUpgrades };
  }
  const [up, down] = ["migrations/0001_auth.sql", "migrations/down/0001_auth.sql"];
  return { up: starterFiles[up!]!, down: starterFiles[down!]!, upgrades: authUpgrades };
}

function migration(
  folder: string,
  name: string,
  { up, down }: Pick<Tables, "up" | "down">,
): PlannedFile[] {
  return [
    { path: join(folder, name), text: up, within: folder },
    { path: join(folder, "down", name), text: down, within: folder },
  ];
}

const CONFIG = `import { defineAuthConfig } from "@framework/auth/convention";
import type { Env } from "@framework/cli/runtime";

/** Sign-in configuration of this application. */
export default defineAuthConfig((env: Env) => ({
  session: { strategy: "database" },
  cookies: { sessionToken: { hostOnly: true } },
  secret: env.AUTH_SECRET,
}));
`;

const PASSWORDS = `import { passwords } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import type { Env } from "@framework/cli/runtime";

/**
 * Accounts with an email address and a password: sign-up, verification, sign-in, forgotten and new password. In
 * development mails are in the terminal and at /auth/dev/mail.
 */
export default defineProvider(passwords<Env>({
  // Without it a build for production is refused:
  // async sendMail({ to, subject, text, html }, { env }) {},
}));
`;

const SECRETS =
  `# Secrets for local work; \`framework secret\` writes them to .dev.vars, which git ignores.
AUTH_SECRET=
`;

const RBAC = `import { defineRBAC } from "@framework/auth/convention";

/**
 * Permissions of users: \`requirePermission("posts:write")\`,
 * \`authMiddleware({ permission: "posts:write" })\`.
 */
export default defineRBAC({
  roles: [
    { id: "member", name: "Member", permissions: ["posts:read", "posts:write:own"] },
    { id: "admin", name: "Administrator", permissions: ["*"] },
  ],
  defaultRole: "member",
  // Roles in a team, a list of their own, which teamPage() needs:
  // teamRoles: [
  //   { id: "owner", name: "Owner", permissions: ["team:*"] },
  //   { id: "member", name: "Member", permissions: [] },
  // ],
});
`;
