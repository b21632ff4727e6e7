import { Miniflare } from "miniflare";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";
import { bundleWorker } from "./bundle_worker.ts";
import { SUITES } from "./conformance_worker.ts";

/** The cases of a kind of binding, and what makes an empty one for each. */
interface Suite {
  suite: keyof typeof SUITES;
  kind: "d1Databases" | "kvNamespaces";
}

/**
 * Runs every case of the suites as a step, inside workerd: over a namespace of its own; over one database that each case
 * finds empty, since a new one takes ten times as long; or over one of its own where the case begins with other tables.
 */
export async function runInWorkerd(test: Deno.TestContext, suites: Suite[]): Promise<void> {
  const cases = suites.flatMap(({ suite, kind }) =>
    Object.keys(SUITES[suite]).map((name, index) => ({
      suite,
      kind,
      name,
      binding: kind === "d1Databases" && suite !== "migration" ? suite : `${suite}${index}`,
    }))
    // A case of two suites is the same.
  ).filter(({ name }, place, all) => all.findIndex((other) => other.name === name) === place);
  const bindings = (wanted: Suite["kind"]) =>
    Object.fromEntries(
      cases.filter(({ kind }) => kind === wanted).map(({ binding }) => [binding, binding]),
    );
  const miniflare = new Miniflare({
    modules: true,
    script: await bundleWorker(new URL("./conformance_worker.ts", import.meta.url)),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: bindings("d1Databases"),
    kvNamespaces: bindings("kvNamespaces"),
  });
  try {
    for (const { suite, name, binding } of cases) {
      await test.step(`${suite}: ${name}`, async () => {
        const query = new URLSearchParams({ suite, name, binding });
        const response = await miniflare.dispatchFetch(`http://localhost/?${query}`);
        const text = await response.text();
        if (text !== "passed") throw new Error(text);
      });
    }
  } finally {
    await disposeMiniflare(miniflare);
  }
}
