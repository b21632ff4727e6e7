// A network logon cracker of Debian against the built-in form for a password.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { findProgram, installPackage } from "../../scripts/apt.ts";
import { capture } from "../../scripts/run_command.ts";
import { bundleEntries } from "../support/bundle.ts";
import { startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodeOfLongTermSupport, nodeIsAvailable } from "../support/node.ts";
import { EMAIL, PASSWORD } from "./guessed.ts";

/** Path of hydra, which is installed where this process may; null where there is none. */
async function ensureHydra(): Promise<string | null> {
  const found = await findProgram(["hydra"]);
  if (found !== null || Deno.uid() !== 0) return found;
  // deno-lint-ignore no-console -- what is being installed
  await installPackage({ name: "hydra", missing: "hydra" }, console.log);
  return await findProgram(["hydra"]);
}

/** What only the answer to a sign-in says. */
const SIGNED_IN = "hydra-is-signed-in";

/** A server of the application. */
interface Target {
  origin: string;
  stop(): Promise<unknown>;
}

interface Options {
  baseUrl: string;
  limited: boolean;
  /** True for hashes that cost nothing, where the limits are what is tried. Default: those of production. */
  cheap?: boolean;
}

type Start = (folder: string, options: Options) => Promise<Target>;

async function bundle(name: string): Promise<string> {
  const [file] = await bundleEntries([fileURLToPath(new URL(`./${name}.ts`, import.meta.url))]);
  return file!.text;
}

const PLATFORMS: Record<string, Start> = {
  async Node(folder, { baseUrl, limited, cheap = false }) {
    const file = join(folder, "server.mjs");
    await Deno.writeTextFile(file, await bundle("guessed_node"));
    const child = startChild(await findNodeOfLongTermSupport(), [file], {
      cwd: folder,
      env: { BASE_URL: baseUrl, LIMITED: String(limited), CHEAP: String(cheap) },
    });
    const [, port] = await child.waitFor(/listening on (\d+)\./);
    return { origin: `http://127.0.0.1:${port}`, stop: () => child.stop() };
  },
  async workerd(_folder, { baseUrl, limited }) {
    const miniflare = new Miniflare({
      modules: true,
      script: await bundle("guessed_worker"),
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      d1Databases: ["DB"],
      bindings: { BASE_URL: baseUrl, LIMITED: limited },
    });
    const { origin } = await miniflare.ready;
    const prepared = await fetch(`${origin}/prepare`);
    assert.equal(await prepared.text(), "ready");
    return { origin, stop: () => miniflare.dispose() };
  },
};

/** What hydra has found, and the statuses with which its guesses were answered, in order. */
interface Attack {
  found: boolean;
  said: string;
  statuses: number[];
}

/** Lets hydra try passwords at an account, from one address, and counts what it is answered. */
async function attack(
  start: Start,
  { hydra, limited, cheap = false, words, users }: {
    hydra: string;
    limited: boolean;
    cheap?: boolean;
    words: readonly string[];
    users: readonly string[];
  },
): Promise<Attack> {
  const folder = await Deno.makeTempDir();
  const port = freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const target = await start(folder, { baseUrl, limited, cheap });
  const statuses: number[] = [];
  const counter = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("cf-connecting-ip", "127.0.0.1");
    const { method, body } = request;
    const response = await fetch(target.origin + pathname + search, {
      method,
      headers,
      body,
      redirect: "manual",
    });
    if (method === "POST") statuses.push(response.status);
    const text = await response.text();
    // Hydra takes 401 for a password of HTTP itself, and tries the same one for ever: whoever means it has such a proxy.
    return new Response(response.status === 303 ? SIGNED_IN : text);
  });
  try {
    const [list, names] = [join(folder, "words"), join(folder, "users")];
    await Deno.writeTextFile(list, words.join("\n"));
    await Deno.writeTextFile(names, users.join("\n"));
    const form = "/auth/signin/passwords:email=^USER^&password=^PASS^";
    const { stdout, stderr } = await capture(hydra, [
      ...["-L", names, "-P", list, "-s", String(port), "-t", "4", "-I", "-f"],
      ...[
        "127.0.0.1",
        "http-post-form",
        `${form}:H=Origin\\: http\\://127.0.0.1\\:${port}:g=:S=${SIGNED_IN}`,
      ],
    ], { cwd: folder });
    const said = stdout + stderr;
    return { found: said.includes(`password: ${PASSWORD}`), said, statuses };
  } finally {
    await counter.shutdown();
    await target.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Wrong passwords, and the right one as the last. */
function wordsUpTo(count: number): string[] {
  return [
    ...Array.from({ length: count - 1 }, (_, index) => `a wrong password ${index}`),
    PASSWORD,
  ];
}

function count(statuses: readonly number[], status: number): number {
  return statuses.filter((one) => one === status).length;
}

const hydra = await ensureHydra();
const why = !nodeIsAvailable
  ? " [unavoidable: the registry has no Node for this machine]"
  : hydra === null && Deno.uid() !== 0
  ? " [unavoidable: hydra is not installed (Debian: apt-get install hydra)]"
  : "";

for (const [platform, start] of Object.entries(PLATFORMS)) {
  // The limits of a worker are held by workerd_limits_test.ts.
  if (platform === "workerd" && !inMatrix) continue;
  // Tracks: R148, R168
  Deno.test({
    name: `hydra finds a password on ${platform} without limits, and none with them${why}`,
    ignore: hydra === null || !nodeIsAvailable,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const known = [EMAIL];
      const cheap = !inMatrix;
      // It can: else that it finds nothing below would say nothing.
      const open = await attack(start, {
        hydra: hydra!,
        limited: false,
        cheap,
        words: wordsUpTo(4),
        users: known,
      });
      assert.ok(open.found, open.said);
      assert.equal(count(open.statuses, 303) > 0, true);
      const one = await attack(start, {
        hydra: hydra!,
        limited: true,
        cheap,
        words: wordsUpTo(30),
        users: known,
      });
      assert.ok(!one.found, one.said);
      assert.equal(count(one.statuses, 401), 5, one.said);
      assert.equal(count(one.statuses, 429), one.statuses.length - 5, String(one.statuses));
      assert.ok(one.statuses.length >= 25, one.said);
      if (platform !== "Node") return;
      // Of all accounts together, from one address: twenty times as many.
      const users = Array.from(
        { length: inMatrix ? 40 : 30 },
        (_, index) => `user${index}@example.com`,
      );
      const many = await attack(start, {
        hydra: hydra!,
        limited: true,
        cheap: true,
        words: wordsUpTo(4),
        users: [...users, EMAIL],
      });
      assert.ok(!many.found, many.said);
      assert.equal(count(many.statuses, 401), 100, String(many.statuses));
      assert.equal(count(many.statuses, 429), many.statuses.length - 100);
    },
  });
}
