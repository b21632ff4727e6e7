/**
 * Measures what a question about a permission costs, beside a bare lookup in a set that holds every
 * permission of the user, without and with the search for the request, and beside CASL's prebuilt ability.
 *
 * Usage: `deno run -A scripts/bench/permissions.ts`
 *
 * CASL is installed into a temporary folder, at the version named below. Prints nanoseconds for one
 * question (medians of interleaved rounds, of CPU time); the exit code is 1 when a goal is missed.
 *
 * @module
 */

import { createAuth, defineRBAC, hasPermission } from "@framework/auth";
import { createMemoryStorage } from "@framework/auth/storage";
import * as esbuild from "esbuild";
import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { run } from "../run_command.ts";
import { type Contender, runRounds, type Timing } from "./rounds.ts";

const CASL = "6.8.1";
const ROLE_COUNTS = [10, 100, 1000];
const LOOPS = 1000;
const RULES = "the library: its rules";
const BY_HAND = "a lookup in a set of the request, by hand";
const OPERATION = "the library: hasPermission()";

const GOALS = { set: 2, casl: 1, growth: 1.5 };

interface Ability {
  can(action: string, subject: string): boolean;
}

/** Roles in chains of ten: each permits three things of its own, and what the next one permits. */
function rolesOf(count: number) {
  const roles = Array.from({ length: count }, (_, index) => ({
    id: `role${index}`,
    name: `Role ${index}`,
    permissions: ["read", "write", "delete"].map((action) => `thing${index}:${action}`),
  }));
  const hierarchy: Record<string, string[]> = {};
  for (let index = 0; index < count; index++) {
    if (index % 10 !== 9) hierarchy[`role${index}`] = [`role${index + 1}`];
  }
  return { roles, hierarchy };
}

/** Installs CASL, and bundles what is needed of it. */
async function bundleCasl(folder: string): Promise<string> {
  await Deno.writeTextFile(
    join(folder, "package.json"),
    JSON.stringify({ type: "module", dependencies: { "@casl/ability": CASL } }),
  );
  await Deno.writeTextFile(join(folder, "deno.json"), '{ "nodeModulesDir": "auto" }');
  await run(Deno.execPath(), ["install", "--quiet"], { cwd: folder });
  const outfile = join(folder, "casl.mjs");
  await esbuild.build({
    stdin: { contents: 'export { createMongoAbility } from "@casl/ability";', resolveDir: folder },
    bundle: true,
    format: "esm",
    minify: true,
    outfile,
  });
  await esbuild.stop();
  return outfile;
}

/** Asks often enough for the clock to be able to tell, and about another thing each time. */
function repeated(name: string, ask: (turn: number) => boolean): Contender {
  return {
    name,
    run() {
      for (let turn = 0; turn < LOOPS; turn++) if (!ask(turn % 30)) throw new Error(name);
    },
  };
}

/** A function that runs inside of a request in which the user is signed in. */
async function inRequest(rbac: ReturnType<typeof defineRBAC>, job: () => Promise<void>) {
  const storage = createMemoryStorage();
  await storage.createUser({ user: { id: "ada", role: "role0" }, emailIdentity: null, at: 0 });
  const auth = createAuth({ database: storage, rbac, baseUrl: "http://localhost" });
  const { cookies } = await auth.issueSession("ada", {});
  const headers = { cookie: cookies[0]!.split(";")[0]! };
  await auth.run(new Request("http://localhost/", { headers }), {}, undefined, async () => {
    await job();
    return new Response();
  });
}

/** Microseconds of CPU time, which is steadier than the wall on a busy machine. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Measures with so many roles; `casl` is the file of the ability's library. */
async function measure(count: number, casl: string): Promise<Timing[]> {
  const { createMongoAbility } = await import(pathToFileURL(casl).href);
  const config = rolesOf(count);
  const definition = defineRBAC(config);
  const { definition: rbac } = definition;
  if (typeof rbac === "function") throw new Error("defineRBAC() did not compile the roles");
  const user = { id: "ada", role: "role0" };
  const asked = config.roles.slice(0, 10).flatMap(({ permissions }) => permissions);
  const [subjects, actions] = [0, 1].map((part) => asked.map((one) => one.split(":")[part]!)) as [
    string[],
    string[],
  ];
  const held = new Set(asked);
  const ability: Ability = createMongoAbility(
    asked.map((_, turn) => ({ subject: subjects[turn], action: actions[turn] })),
  );
  let timings: Timing[] = [];
  const requests = new AsyncLocalStorage<{ held: Set<string> }>();
  await requests.run({ held }, () =>
    inRequest(definition, async () => {
      timings = await runRounds([
        repeated("a bare lookup in a set", (turn) => held.has(asked[turn]!)),
        repeated("CASL's prebuilt ability", (turn) => ability.can(actions[turn]!, subjects[turn]!)),
        repeated(RULES, (turn) => rbac.permits(user, asked[turn]!)),
        repeated(BY_HAND, (turn) => requests.getStore()!.held.has(asked[turn]!)),
        repeated(OPERATION, (turn) => hasPermission(asked[turn]!)),
      ], { rounds: 60, jobs: 100, clock: cpuTime });
    }));
  return timings;
}

// Each number of roles in a process of its own, as in an application, which has its roles once.
const [only, casl] = Deno.args;
if (only !== undefined) {
  print(JSON.stringify(await measure(Number(only), casl!)));
  process.exit(0);
}

const results = new Map<number, Map<string, number>>();
const folder = await Deno.makeTempDir({ prefix: "framework-bench-" });
try {
  const file = await bundleCasl(folder);
  for (const count of ROLE_COUNTS) {
    const args = ["run", "-A", import.meta.filename!, String(count), file];
    const timings: Timing[] = JSON.parse((await run(Deno.execPath(), args)).stdout);
    print(`\n${count} roles`);
    for (const { name, microseconds, noise } of timings) {
      const nanoseconds = microseconds * 1000 / LOOPS;
      print(`  ${nanoseconds.toFixed(1).padStart(7)} ns  ±${(noise * 100).toFixed(1)} %  ${name}`);
    }
    results.set(count, new Map(timings.map(({ name, microseconds }) => [name, microseconds])));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

function ratio(count: number, name: string, other: string): number {
  const timings = results.get(count)!;
  return timings.get(name)! / timings.get(other)!;
}

const [few = 0, , many = 0] = ROLE_COUNTS.map((count) => results.get(count)!.get(RULES)!);
const goals: [what: string, value: number, most: number][] = [
  ...ROLE_COUNTS.flatMap((count): [string, number, number][] => [
    [
      `${count} roles: times a bare lookup`,
      ratio(count, RULES, "a bare lookup in a set"),
      GOALS.set,
    ],
    [`${count} roles: hasPermission() times by hand`, ratio(count, OPERATION, BY_HAND), GOALS.set],
    [`${count} roles: times CASL`, ratio(count, RULES, "CASL's prebuilt ability"), GOALS.casl],
  ]),
  ["from 10 to 1,000 roles: times", many / few, GOALS.growth],
];
print("");
for (const [what, value, most] of goals) {
  print(`${value <= most ? "ok    " : "MISSED"} ${what} ${value.toFixed(2)}, at most ${most}`);
}
process.exitCode = goals.every(([, value, most]) => value <= most) ? 0 : 1;
