import { Miniflare } from "miniflare";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";
import { bundleWorker } from "./bundle_worker.ts";
import { type SentBatch, SUITES } from "./conformance_worker.ts";

/** The cases of a kind of binding, and what makes an empty one for each. */
export interface Suite {
  suite: keyof typeof SUITES;
  kind: "d1Databases" | "kvNamespaces" | "durableObjects";
}

/** The binding of all durable objects. */
const OBJECTS = "OBJECTS";

/** Cases with their bindings: see {@linkcode runInWorkerd}. */
function casesOf(suites: readonly Suite[]) {
  return suites.flatMap(({ suite, kind }) =>
    Object.keys(SUITES[suite]).map((name, index) => ({
      suite,
      kind,
      name,
      binding: kind === "durableObjects"
        ? OBJECTS
        : kind === "d1Databases" && suite !== "migration"
        ? suite
        : `${suite}${index}`,
    }))
    // A case of two suites is the same.
  ).filter(({ name, kind }, place, all) =>
    all.findIndex((other) => other.name === name && other.kind === kind) === place
  );
}

/** Starts workerd with the bindings of the suites. */
export async function startWorkerd(suites: readonly Suite[]): Promise<Miniflare> {
  const cases = casesOf(suites);
  const bindings = (wanted: Suite["kind"]) =>
    Object.fromEntries(
      cases.filter(({ kind }) => kind === wanted).map(({ binding }) => [binding, binding]),
    );
  return new Miniflare({
    modules: true,
    script: await bundleWorker(new URL("./conformance_worker.ts", import.meta.url)),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: bindings("d1Databases"),
    kvNamespaces: bindings("kvNamespaces"),
    ...cases.some(({ binding }) => binding === OBJECTS) && {
      durableObjects: { [OBJECTS]: { className: "SqlObject", useSQLite: true } },
    },
  });
}

/**
 * Runs every case of the suites as a step, inside workerd: over a namespace of its own; over one database or object that
 * each case finds empty, since a new one takes ten times as long; or over one of its own where the case begins with other
 * tables.
 *
 * @param started One that has their bindings. Default: it is started for them, and ended.
 */
export async function runInWorkerd(
  test: Deno.TestContext,
  suites: readonly Suite[],
  started?: Miniflare,
): Promise<void> {
  const miniflare = started ?? await startWorkerd(suites);
  try {
    for (const { suite, name, binding } of casesOf(suites)) {
      await test.step(`${suite}: ${name}`, async () => {
        const query = new URLSearchParams({ suite, name, binding });
        const response = await miniflare.dispatchFetch(`http://localhost/?${query}`);
        const text = await response.text();
        if (text !== "passed") throw new Error(text);
      });
    }
  } finally {
    if (started === undefined) await disposeMiniflare(miniflare);
  }
}

/** Answer of a D1 that was started for a suite to statements in one batch: "passed", or what it threw. */
export async function sendBatch(
  miniflare: Miniflare,
  { suite, statements }: { suite: Suite["suite"]; statements: SentBatch },
): Promise<string> {
  const response = await miniflare.dispatchFetch(`http://localhost/?binding=${suite}`, {
    method: "POST",
    body: JSON.stringify(statements),
  });
  return await response.text();
}
