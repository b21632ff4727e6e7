/**
 * Starts Verdaccio, a registry of npm packages that people run themselves: it takes the packages of this repository as
 * npm publishes them, and passes all others through from the registry that this machine is set up for.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { type Child, startChild } from "../tests/support/child.ts";
import { freePort } from "../tests/support/free_port.ts";
import { findNodeOfLongTermSupport, installNpm } from "../tests/support/node.ts";
import { linkNpmPackages } from "../tests/support/npm_packages.ts";
import { until } from "../tests/support/until.ts";
import { run } from "./run_command.ts";

/** The release that the rehearsal was tried with. */
const RELEASE = "6.10.4";

/** A registry that runs on this machine alone. */
export interface LocalRegistry {
  /** Address with a final slash. */
  url: string;
  /** Folder of the programs that are before all others on the PATH of `env`. */
  bin: string;
  /** Environment of a shell whose `npm` may publish there: with Node, npm and this Deno alone before the PATH. */
  env: Record<string, string>;
  /** Lets two days pass since the packages were published: Deno installs nothing that is younger than one. */
  age(): Promise<void>;
  close(): Promise<void>;
}

interface Upstream {
  url: string;
  /** File of certificates. */
  ca?: string;
}

/** A folder with programs as scripts, for the PATH. */
async function writePrograms(folder: string, programs: Record<string, string>): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, line] of Object.entries(programs)) {
    await Deno.writeTextFile(join(folder, name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
  }
  return folder;
}

async function readUpstream(env: Record<string, string>): Promise<Upstream> {
  const { stdout } = await run("/bin/sh", ["-c", "npm config get registry cafile"], { env });
  // A line for each, `name=value`.
  const settings = new Map(
    stdout.trim().split("\n").map((line) => line.split(/=(.*)/s) as [string, string]),
  );
  const ca = settings.get("cafile");
  return { url: settings.get("registry")!, ...(ca?.startsWith("/") && { ca }) };
}

/** Verdaccio reads YAML, of which JSON is a part. */
function configuration(folder: string, upstream: Upstream): string {
  return JSON.stringify({
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "users") } },
    uplinks: { upstream: { ...upstream, timeout: "60s", maxage: "60m" } },
    packages: {
      "@framework/*": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" },
    },
    middlewares: { audit: { enabled: false } },
    web: { enable: false },
    log: { type: "stdout", format: "pretty", level: "warn" },
  });
}

/** Dates what was published two days back. */
async function ageStored(storage: string): Promise<void> {
  const then = new Date(Date.now() - 2 * 86_400_000).toISOString();
  for await (const { name } of Deno.readDir(join(storage, "@framework"))) {
    const file = join(storage, "@framework", name, "package.json");
    const stored = JSON.parse(await Deno.readTextFile(file)) as { time: Record<string, string> };
    for (const version of Object.keys(stored.time)) stored.time[version] = then;
    await Deno.writeTextFile(file, JSON.stringify(stored));
  }
}

/** Makes an account that may publish, as `npm adduser` does. */
async function addUser(url: string): Promise<string> {
  const response = await fetch(`${url}-/user/org.couchdb.user:release`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "release", password: crypto.randomUUID() }),
  });
  const { token, error } = await response.json() as { token?: string; error?: string };
  if (token === undefined) throw new Error(`The local registry makes no account: ${error}`);
  return token;
}

/**
 * Starts it on a free port of loopback, without any package.
 *
 * @param folder Folder for what it stores, which is removed by whoever made it.
 * @throws {Error} When it does not begin to answer.
 */
export async function startVerdaccio(folder: string): Promise<LocalRegistry> {
  const node = await findNodeOfLongTermSupport();
  const npm = join(await installNpm(), "bin", "npm-cli.js");
  const bin = await writePrograms(join(folder, "bin"), {
    node: `"${node}"`,
    npm: `"${node}" "${npm}"`,
    deno: `"${Deno.execPath()}"`,
  });
  const env = { PATH: `${bin}:${Deno.env.get("PATH") ?? dirname(node)}` };
  // Its audit, which is off, asks for a dist-tag, and not every registry has those of other packages.
  const modules = await linkNpmPackages({ verdaccio: RELEASE }, { "node-fetch": "2.7.0" });
  const config = join(folder, "verdaccio.json");
  await Deno.writeTextFile(config, configuration(folder, await readUpstream(env)));
  const url = `http://127.0.0.1:${freePort()}/`;
  const program = join(modules, "verdaccio", "bin", "verdaccio");
  const child: Child = startChild(node, [program, "--config", config, "--listen", url], {
    cwd: folder,
  });
  try {
    await until(
      async () => (await (await fetch(`${url}-/ping`)).text()) !== "",
      () => `The local registry does not answer:\n${child.output()}`,
    );
    const npmrc = join(folder, "publisher.npmrc");
    await Deno.writeTextFile(
      npmrc,
      `registry=${url}\n${url.replace("http:", "")}:_authToken=${await addUser(url)}\n`,
    );
    return {
      url,
      bin,
      env: { ...env, npm_config_registry: url, npm_config_userconfig: npmrc },
      age: () => ageStored(join(folder, "storage")),
      close: async () => void await child.stop(),
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
