import { existsSync } from "node:fs";
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

/** Reads the version of the tables that a folder's migrations create; null when they create none. */
async function readSchemaVersion(migrationsDir: string): Promise<number | null> {
  const migrations = await readMigrations(migrationsDir);
  return versionIn(migrations.map(({ sql }) => sql).join("\n"));
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
 * password, the example of its secrets when it has none, and the migrations.
 *
 * @throws {CliError} Exit code 1 when the application has the tables already.
 */
export async function planAuth(config: ProjectConfig): Promise<PlannedFile[]> {
  const { root, appDir, migrationsDir, dialect } = config;
  const version = await readSchemaVersion(migrationsDir);
  if (version !== null) {
    throw new CliError(
      `The migrations already create the tables of @framework/auth (version ${version}).`,
      {
        hint: "Run `framework generate auth --upgrade` to bring them up to date.",
      },
    );
  }
  const [auth] = createNumberedNames(await migrationNames(migrationsDir), ["auth"]) as [string];
  const files = [
    { path: join(appDir, "auth", "config.ts"), text: CONFIG, within: appDir },
    { path: join(appDir, "auth", "rbac.ts"), text: RBAC, within: appDir },
    {
      path: join(appDir, "auth", "providers", "passwords.ts"),
      text: PASSWORDS,
      within: appDir,
    },
    ...migration(migrationsDir, auth, tablesOf(dialect)),
  ];
  const example = join(root, ".dev.vars.example");
  return existsSync(example) ? files : [...files, { path: example, text: SECRETS, within: root }];
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
    "Then `framework dev` has accounts: sign up at /auth/signup, with mails in the terminal.",
  ];
}

/**
 * Plans the migration that updates the tables; empty when they are up to date.
 *
 * @throws {CliError} Exit code 1 when there are no tables to bring up to date, or newer ones.
 */
export async function planUpgrade(
  { migrationsDir, dialect }: ProjectConfig,
): Promise<PlannedFile[]> {
  const { upgrades } = tablesOf(dialect);
  const upgrade = planAuthUpgrade(await readSchemaVersion(migrationsDir), { upgrades });
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
