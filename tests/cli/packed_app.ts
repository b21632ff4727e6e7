import { buildPackages } from "../../scripts/npm.ts";
import { createApp, findPackages, type FixtureApp, type Packages } from "./fixture_app.ts";

let packed: Promise<Packages> | undefined;

/** Writes an application with this repository's packages as they are published, among them that of the tests. */
export async function createPackedApp(files: Record<string, string>): Promise<FixtureApp> {
  return await createApp(files, await (packed ??= findPacked()));
}

async function findPacked(): Promise<Packages> {
  await buildPackages({ gate: false });
  return findPackages(["npm/auth", "npm/cli", "npm/testing"]);
}
