/**
 * Rehearses a release: plays `docs/releasing.md` and the commands of `release.yml` in a copy of the source, publishes to
 * a registry on this machine, and uses what it serves as people do. Writes what it did to `scripts/rehearsal/`.
 *
 * Usage: `deno task rehearse [release] [people] [upgrade]`, each by itself; default: all
 *
 * `release` plays the first release with all its jobs, `people` the READMEs line by line on Node and Deno, `upgrade` an
 * application whose database lives through two releases and a way back.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { authSchema } from "../auth/storage.ts";
import { useAuthAlone, useStarter } from "../tests/packages/first_use.ts";
import { readFiveMinutes, type } from "../tests/packages/five_minutes.ts";
import { type LoneRuntime, onlyDeno, onlyNode } from "../tests/packages/lone_runtime.ts";
import { findNodeOfLongTermSupport, findNodeOfMaintenance } from "../tests/support/node.ts";
import { oldVersions, takeOver } from "./rehearse_old_tables.ts";
import { runStep } from "./rehearse_release.ts";
import {
  checkOf,
  maintain,
  onStage,
  PUBLISH,
  publishAuth,
  publishFirst,
  publishTables,
  raise,
  release,
  type Stage,
} from "./rehearse_stage.ts";
import { createTranscript, type Transcript } from "./rehearse_transcript.ts";
import {
  type DeployedRelease,
  deployRelease,
  installRelease,
  joinAt,
  lostRows,
  readRows,
  type ServingRelease,
  useAt,
} from "./rehearse_upgrade.ts";
import { readPackument } from "./served_packages.ts";
import { readWorkspace, repositoryRoot } from "./workspace.ts";

/** Folder of the transcripts, a file for each part. */
export const transcripts: string = join(repositoryRoot, "scripts", "rehearsal");

/** The first release: what keeps it from being one, what is published, and that this is once. */
async function playFirst(stage: Stage): Promise<void> {
  const { told, root, registry } = stage;
  const { members } = await readWorkspace(root);
  const present = `v${members[0]!.version}`;
  told.heading("What is no release yet");
  await maintain(stage, "deno task install");
  for (const line of [checkOf(present), PUBLISH]) {
    assert.match(await maintain(stage, line, "is refused"), /CHANGELOG\.md has no section/);
  }

  told.heading("The release");
  const tag = await raise(stage, "patch");
  await release(stage, tag);

  told.heading("Once more");
  const again = await maintain(stage, PUBLISH);
  assert.equal(again.match(/is published already/g)?.length, members.length);
  const tarball = `npm/tarballs/framework-${members[0]!.folder}-${tag.slice(1)}.tgz`;
  const { code, stderr } = await runStep(root, `npm publish ./${tarball}`, registry.env);
  assert.notEqual(code, 0);
  assert.match(stderr, /cannot publish over/i);
  told.command(`npm publish ./${tarball}`, ["(refused: the registry has this version)"]);
}

/** A machine of somebody who begins. */
interface Beginner {
  name: string;
  tool: "npm" | "deno";
  make(place: string, registry: string): Promise<LoneRuntime>;
}

const BEGINNERS: readonly Beginner[] = [
  {
    name: "Node 22",
    tool: "npm",
    make: async (place, registry) =>
      onlyNode(place, registry, { node: await findNodeOfMaintenance(), isNew: true }),
  },
  {
    name: "Node 24",
    tool: "npm",
    make: async (place, registry) =>
      onlyNode(place, registry, { node: await findNodeOfLongTermSupport(), isNew: true }),
  },
  {
    name: "Deno",
    tool: "deno",
    make: (place, registry) => onlyDeno(place, registry, { isNew: true }),
  },
];

/** Commands of somebody who begins, from the READMEs, with one runtime and nothing else. */
async function begin(
  { folder, registry }: Stage,
  { name, tool, make }: Beginner,
  told: Transcript,
): Promise<void> {
  told.heading(`auth/README.md and cli/README.md, line by line, with ${name} alone`);
  const place = join(folder, name.replace(" ", "-").toLowerCase());
  await Deno.mkdir(place);
  const runtime = await make(place, registry.url);
  const start = tool === "npm" ? "node app.ts" : "deno run -A app.ts";
  for (const line of (await readFiveMinutes("auth/README.md", tool)).commands) told.command(line);
  await useAuthAlone({ folder: place, runtime }, tool, start);
  told.command(start);
  told.note(
    "Sign-up with a proved address, sign-in, sign-out, a forgotten password, the account page; after a new start " +
      "who was signed in is so.",
  );
  const { commands } = await readFiveMinutes("cli/README.md", tool);
  const dev = commands.at(-1)!;
  const app = await type(runtime, commands.slice(0, -1), place);
  for (const line of commands) told.command(line);
  const generate = tool === "npm"
    ? "npx framework generate page notes --loader"
    : "deno run -A npm:@framework/cli generate page notes --loader";
  await useStarter({ runtime }, app, { dev, generate });
  told.note("Sign-up and sign-in; a changed page is shown.");
  told.command(generate);
  told.note("The new page is shown.");
}

/** The READMEs, by people who begin at the same time. */
async function playPeople(stage: Stage): Promise<void> {
  await publishFirst(stage);
  await stage.registry.age();
  stage.told.note("Two days pass: Deno installs nothing that is younger than one.");
  const played = await Promise.all(BEGINNERS.map(async (beginner) => {
    const { told, text } = createTranscript(() => {});
    await begin(stage, beginner, told);
    return text();
  }));
  for (const text of played) {
    for (const line of text.trimEnd().split("\n")) {
      if (line.startsWith("== ")) stage.told.heading(line.slice(3));
      else if (line.startsWith("$ ")) stage.told.command(line.slice(2));
      else stage.told.note(line.slice(4));
    }
  }
}

/** An application whose database lives on, from one release to the next and back. */
async function playUpgrade(stage: Stage): Promise<void> {
  const { folder, registry, told } = stage;
  told.heading("The present source is published");
  await maintain(stage, "deno task install");
  const before = await publishAuth(stage, "patch");
  told.heading(`An application with ${before}`);
  const runtime = await onlyNode(folder, registry.url, {
    node: await findNodeOfLongTermSupport(),
    isNew: true,
  });
  const database = join(folder, "app.db");
  async function deploy(place: string, wanted: string, version: string): Promise<DeployedRelease> {
    const deployed = await deployRelease(runtime, join(folder, place), wanted);
    told.command(`npm install ${wanted} hono @hono/node-server`);
    assert.equal(deployed.version, version);
    told.note(`@framework/auth ${version} is installed.`);
    return deployed;
  }
  const old = await deploy("before", "@framework/auth", before);
  const serving: ServingRelease[] = [];
  async function start(deployed: DeployedRelease): Promise<ServingRelease> {
    const started = await deployed.start(database);
    serving.push(started);
    return started;
  }
  try {
    const oldServing = await start(old);
    const ada = await joinAt(oldServing, "Ada");
    await useAt(oldServing, ada);
    told.note("Ada has signed up, and has a session, a password, a passkey and an API key.");

    const next = await publishTables(stage, {
      ...{ increment: "minor", column: "locale", endsSupport: false },
    });
    told.heading(`From ${before} to ${next.version}, while ${before} serves`);
    const following = await deploy("next", "@framework/auth", next.version);
    const rows = readRows(database);
    const upgraded = await following.migrate(database);
    assert.deepEqual(upgraded, { from: authSchema.version, to: next.tables });
    told.command("node migrate.ts", [JSON.stringify(upgraded)]);
    assert.deepEqual(lostRows(rows, readRows(database)), []);
    const kept = [...rows].filter(([table, { length }]) => length > 0 && table !== "auth_schema")
      .map(([table]) => table);
    told.note(`Every row is as it was: ${kept.join(", ")}.`);
    const nextServing = await start(following);
    for (const [here, there] of [[oldServing, nextServing], [nextServing, oldServing]] as const) {
      await useAt(here, ada);
      const [name, version] = here === oldServing ? ["Bob", before] : ["Eve", next.version];
      await useAt(there, await joinAt(here, name));
      told.note(
        `Both serve: ${name}, who signed up at ${version}, gets in at the other by session, password, passkey and ` +
          "API key; and Ada at both.",
      );
    }
    for (const one of serving.splice(0)) await one.stop();
    await useAt(await start(old), ada);
    told.note(`Back to ${before}, with the new tables: Ada gets in by all four.`);
    for (const one of serving.splice(0)) await one.stop();

    const last = await publishTables(stage, {
      ...{ increment: "preminor", column: "pronouns", endsSupport: true },
    });
    const tags = (await readPackument(registry.url, "@framework/auth"))["dist-tags"];
    assert.deepEqual(tags, { latest: next.version, next: last.version });
    told.note(`The registry: latest is ${tags["latest"]}, next is ${tags["next"]}.`);

    told.heading(`From ${next.version} to ${last.version}, and no way back to ${before}`);
    const trying = await deploy("try", "@framework/auth@next", last.version);
    const moved = await trying.migrate(database);
    assert.deepEqual(moved, { from: next.tables, to: last.tables });
    told.command("node migrate.ts", [JSON.stringify(moved)]);
    for (const deployed of [trying, following]) {
      await useAt(await start(deployed), ada);
      for (const one of serving.splice(0)) await one.stop();
      told.note(`${deployed.version}: Ada gets in by all four.`);
    }
    const refusal = /The tables have version .*/.exec(await old.refuse(database))?.[0];
    assert.equal(
      refusal,
      `The tables have version ${last.tables}, for libraries from version ${next.tables} on; this library has ` +
        `version ${authSchema.version}: install a newer @framework/auth`,
    );
    told.note(`${before} does not start: ${refusal}.`);

    told.heading(`From the tables of old releases to ${next.version}`);
    const taking = join(folder, "taking");
    await installRelease(runtime, taking, "@framework/auth");
    for (const version of await oldVersions()) {
      const said = await takeOver(runtime, taking, version);
      assert.deepEqual(said, { from: version, to: next.tables });
      told.command("node serve.ts", [JSON.stringify(said)]);
      told.note(
        `The release with tables of version ${version} serves beside it: sessions of before are open, and whoever ` +
          "signs in at one is signed in at the other.",
      );
    }
  } finally {
    for (const one of serving) await one.stop();
  }
}

const PARTS: Record<string, (stage: Stage) => Promise<void>> = {
  release: playFirst,
  people: playPeople,
  upgrade: playUpgrade,
};

/** Names of the parts, in the order in which they are played. */
export const parts: readonly string[] = Object.keys(PARTS);

/**
 * Plays a part of the rehearsal.
 *
 * @param part Its name.
 * @param say Hears each line of the transcript.
 * @returns The transcript.
 * @throws {Error} When something is not as the documents say.
 */
export async function rehearse(part: string, say: (line: string) => void): Promise<string> {
  const play = PARTS[part];
  if (!play) throw new Error(`"${part}" is no part. Choose from: ${parts.join(", ")}.`);
  return await onStage(play, say);
}

if (import.meta.main) {
  for (const part of Deno.args.length > 0 ? Deno.args : parts) {
    const transcript = await rehearse(part, (line) => void process.stdout.write(`${line}\n`));
    await Deno.mkdir(transcripts, { recursive: true });
    await Deno.writeTextFile(join(transcripts, `${part}.txt`), transcript);
  }
}
