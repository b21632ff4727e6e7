/**
 * The stage of a rehearsal: a copy of the source, a registry, and a transcript; and what a maintainer does on it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { buildPackages } from "./npm.ts";
import { publishPackages } from "./publish.ts";
import { playRelease, runStep } from "./rehearse_release.ts";
import {
  addTables,
  cleanSource,
  commitAll,
  copySource,
  type NextTables,
} from "./rehearse_source.ts";
import { createTranscript, type Transcript } from "./rehearse_transcript.ts";
import { type LocalRegistry, startVerdaccio } from "./verdaccio.ts";
import { readWorkspace, repositoryRoot } from "./workspace.ts";

/** A copy of the source, and where it is published. */
export interface Stage {
  /** Folder for all else. */
  folder: string;
  /** Absolute path of the copy. */
  root: string;
  registry: LocalRegistry;
  told: Transcript;
}

/** Commands of a maintainer who publishes by hand. */
export const PUBLISH =
  "deno run -A scripts/publish.ts --repository https://github.com/framework/framework";

/** Check that a tag may be released. */
export const checkOf = (tag: string): string =>
  `deno run --allow-read scripts/release_check.ts ${tag}`;

/**
 * Sets a stage, plays on it, and leaves nothing of it.
 *
 * @param say Hears each line of the transcript.
 * @returns The transcript.
 */
export async function onStage(
  play: (stage: Stage) => Promise<void>,
  say: (line: string) => void,
): Promise<string> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-rehearsal-" }));
  const { told, text } = createTranscript(say);
  try {
    const root = join(folder, "source");
    await Deno.mkdir(root);
    await Deno.mkdir(join(folder, "registry"));
    await copySource(root);
    const registry = await startVerdaccio(join(folder, "registry"));
    try {
      await play({ folder, root, registry, told });
    } finally {
      await registry.close();
    }
    const transcript = text();
    for (const hidden of [repositoryRoot, folder, registry.url]) {
      assert.ok(!transcript.includes(hidden), `The transcript names ${hidden}.`);
    }
    return transcript;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Types a command of the maintainer into a shell of the copy, and tells what it says.
 *
 * @param expected Whether it has to succeed.
 * @throws {Error} When it does not do so.
 */
export async function maintain(
  { root, registry, told }: Stage,
  line: string,
  expected: "succeeds" | "is refused" = "succeeds",
): Promise<string> {
  const { code, stdout, stderr } = await runStep(root, line, registry.env);
  const said = (stdout + stderr).trim();
  if ((code === 0) !== (expected === "succeeds")) {
    throw new Error(`"${line}" ended with exit code ${code}:\n${said}`);
  }
  const shown = said.split("\n").filter((text) => text !== "" && !text.startsWith("Task "));
  told.command(line, expected === "succeeds" ? shown : [...shown, `(exit code ${code})`]);
  return said;
}

/** Raises the version, as docs/releasing.md has it, and gives its tag. */
export async function raise(stage: Stage, increment: string): Promise<string> {
  await maintain(stage, `deno task bump ${increment}`);
  return `v${(await readWorkspace(stage.root)).members[0]!.version}`;
}

/** Releases a tag by the commands of the workflow. */
export async function release(stage: Stage, tag: string): Promise<void> {
  await maintain(stage, checkOf(tag));
  await commitAll(stage.root, `Release ${tag}`);
  await cleanSource(stage.root);
  stage.told.note(`The tag ${tag} is pushed: what follows are the commands of release.yml.`);
  await playRelease(tag, stage);
}

/** Publishes the present source, as the first release is published by hand. */
export async function publishFirst(stage: Stage): Promise<void> {
  stage.told.heading("The present source is published");
  await maintain(stage, "deno task install");
  await raise(stage, "patch");
  await maintain(stage, PUBLISH);
}

/**
 * Publishes `@framework/auth` alone, in a fraction of the time of all packages.
 *
 * @param increment What `deno task bump` is told.
 * @returns Its version.
 */
export async function publishAuth(stage: Stage, increment: string): Promise<string> {
  const { root, registry, told } = stage;
  const version = (await raise(stage, increment)).slice(1);
  const workspace = await readWorkspace(root);
  const members = workspace.members.filter(({ folder }) => folder === "auth");
  const build = await buildPackages({ workspace: { ...workspace, members }, gate: false });
  for (const line of await publishPackages(build, { env: registry.env })) told.note(line);
  return version;
}

/** Publishes a version whose tables have a column more. */
export async function publishTables(
  stage: Stage,
  { increment, ...added }: NextTables & { increment: string },
): Promise<{ version: string; tables: number }> {
  const { root, told } = stage;
  told.heading(`A version with other tables: ${increment}`);
  const tables = await addTables(root, added);
  told.note(
    `The table users has a column "${added.column}": tables of version ${tables}` +
      (added.endsSupport ? ", which libraries before the last version cannot use." : "."),
  );
  return { version: await publishAuth(stage, increment), tables };
}
