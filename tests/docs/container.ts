import assert from "node:assert/strict";
import { join } from "node:path";
import { type Child, startChild } from "../support/child.ts";

/** What a line of a Dockerfile works on: a folder in the place of an image. */
interface Stage {
  /** Folder in the place of `/`. */
  root: string;
  /** Working folder, as the file names it. */
  workdir: string;
  env: Record<string, string>;
  healthcheck: string[];
  command: string[];
}

/** A Dockerfile whose lines have been followed. */
export interface Container {
  /** Starts its `CMD`, as `docker run` does, and waits until it listens and is healthy. */
  start(env: Record<string, string>): Promise<Child>;
}

/**
 * Follows the lines of a project's Dockerfile in folders that stand for its images, because no image can be fetched where
 * tests run: `COPY` copies, `RUN`, `HEALTHCHECK` and `CMD` run, with the programs of `env` and with absolute paths below
 * the folder. Users of an image are not there, so that `USER` and `chown` do nothing.
 *
 * @param project Folder with the Dockerfile.
 * @param folder Empty folder for the images.
 * @param env Environment of the commands.
 */
export async function followDockerfile(
  project: string,
  folder: string,
  env: Record<string, string>,
): Promise<Container> {
  const text = await Deno.readTextFile(join(project, "Dockerfile"));
  await Deno.mkdir(join(folder, "bin"));
  await Deno.writeTextFile(join(folder, "bin", "chown"), "#!/bin/sh\n", { mode: 0o755 });
  const base = { ...env, PATH: `${join(folder, "bin")}:${env["PATH"]}` };
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  const run = async (command: string, args: string[], cwd: string): Promise<void> => {
    const child = startChild(command, args, { cwd, env: { ...base, ...stage?.env } });
    assert.equal(await child.ended, 0, `${command} ${args.join(" ")}\n${child.output()}`);
  };
  for (const line of text.split("\n")) {
    const [, word = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word === "") {
      assert.match(line, /^(#.*)?$/, `Dockerfile: ${line}`);
      continue;
    }
    if (word === "FROM") {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? "";
      const root = join(folder, `image-${stages.size}`);
      await Deno.mkdir(root);
      stage = { root, workdir: "/", env: {}, healthcheck: [], command: [] };
      stages.set(name, stage);
      continue;
    }
    assert.ok(stage, line);
    const { root } = stage;
    const cwd = join(root, stage.workdir);
    if (word === "WORKDIR") {
      stage.workdir = rest;
      await Deno.mkdir(join(root, rest), { recursive: true });
    } else if (word === "COPY") {
      await copy(rest, { project, stages, cwd, run });
    } else if (word === "RUN") await run("sh", ["-c", within(root, rest)], cwd);
    else if (word === "ENV") {
      for (const pair of rest.split(" ")) {
        const [name = "", value = ""] = pair.split("=");
        stage.env[name] = within(root, value);
      }
    } else if (word === "HEALTHCHECK") {
      stage.healthcheck = JSON.parse(rest.replace(/^CMD /, "")) as string[];
    } else if (word === "CMD") stage.command = JSON.parse(rest) as string[];
    else assert.ok(["USER", "VOLUME", "EXPOSE"].includes(word), `Dockerfile: ${line}`);
  }
  const last = stage;
  assert.ok(last && last.command.length > 0 && last.healthcheck.length > 0, text);
  return {
    async start(own) {
      const cwd = join(last.root, last.workdir);
      const [command = "", ...args] = last.command;
      const child = startChild(command, args, {
        cwd,
        env: { ...base, ...last.env, ...own },
        group: true,
      });
      await child.waitFor(/listens on/, 60);
      const [check = "", ...checkArgs] = last.healthcheck;
      stage = { ...last, env: { ...last.env, ...own } };
      await run(check, checkArgs, cwd);
      return child;
    },
  };
}

/** A path of the image, below the folder that stands for it. */
function within(root: string, text: string): string {
  return text.replace(
    /(^|\s)(\/\w)/g,
    (_all, before: string, path: string) => before + root + path,
  );
}

async function copy(
  rest: string,
  { project, stages, cwd, run }: {
    project: string;
    stages: Map<string, Stage>;
    cwd: string;
    run: (command: string, args: string[], cwd: string) => Promise<void>;
  },
): Promise<void> {
  const from = /^--from=(\w+) (\S+) \.$/.exec(rest);
  if (from) {
    const [, name = "", path = ""] = from;
    await run("cp", ["-R", `${join(stages.get(name)!.root, path)}/.`, "."], cwd);
    return;
  }
  assert.equal(rest, ". .");
  const ignored = (await Deno.readTextFile(join(project, ".dockerignore"))).trim().split("\n");
  const excluded = ignored.map((pattern) => `--exclude=./${pattern}`);
  await run("sh", [
    "-c",
    `tar -C "${project}" ${excluded.join(" ")} -cf - . | tar -xf -`,
  ], cwd);
}
