// Clients of applications whose packages the repository does not have.
import { createRequire } from "node:module";
import { join as joinPath } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "../../scripts/run_command.ts";
import { findNodes } from "../support/node.ts";
import { installNpmPackages, linkNpmPackages } from "../support/npm_packages.ts";
import type { Client } from "./joined_cases.ts";
import { PRISMA } from "./schema_tools.ts";

/** A module of packages that the repository does not have. */
// deno-lint-ignore no-explicit-any -- whose types are not there either
export async function load(versions: Record<string, string>, path: string): Promise<any> {
  return await import(pathToFileURL(joinPath(await linkNpmPackages(versions), path)).href);
}

/** Versions that were tried. */
export const DRIZZLE = {
  "@libsql/client": "0.18.0",
  "drizzle-orm": "0.45.4",
  "mysql2": "3.24.6",
  "pg": "8.23.1",
};

/** How Prisma reaches a database. */
interface Reached {
  /** Package of the adapter. */
  adapter: string;
  /** Makes the adapter, of the exports of its package. */
  // deno-lint-ignore no-explicit-any -- whose types are not there
  open(module: any): unknown;
}

/** A client of Prisma, generated for the database. */
export async function clientOfPrisma(
  provider: "postgresql" | "mysql" | "sqlite",
  { adapter, open }: Reached,
): Promise<Client> {
  const own = { [adapter]: "7.10.0", "@prisma/client": "7.10.0", "prisma": "7.10.0" };
  // Those of schemas_test.ts, where they have the adapter: it is a hundred megabytes less.
  const modules = await installNpmPackages(adapter in PRISMA ? PRISMA : own);
  const folder = await Deno.makeTempDir({ prefix: "framework-prisma-" });
  await Deno.symlink(modules, joinPath(folder, "node_modules"));
  await Deno.writeTextFile(
    joinPath(folder, "schema.prisma"),
    `datasource db {
  provider = "${provider}"
}
generator client {
  provider = "prisma-client-js"
  output = "./client"
}
model Profile {
  userId String @id @map("user_id")
  @@map("profiles")
}
`,
  );
  const { newest } = await findNodes();
  const generate = [joinPath("node_modules", "prisma", "build", "index.js"), "generate"];
  // It asks for the program that migrates before it generates, and does not start it.
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: newest };
  await run(newest, [...generate, "--schema", "schema.prisma"], { cwd: folder, env });
  const require = createRequire(joinPath(folder, "client", "index.js"));
  const { PrismaClient } = require("./index.js");
  const prisma = new PrismaClient({ adapter: open(require(adapter)) });
  return {
    transaction: (work) =>
      // deno-lint-ignore no-explicit-any -- the transaction of Prisma
      prisma.$transaction((tx: any) =>
        work(
          ({ text, values }) => tx.$queryRawUnsafe(text, ...values),
          (text) => tx.$executeRawUnsafe(text),
        )
      ),
    async close() {
      await prisma.$disconnect();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
