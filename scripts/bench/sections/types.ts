import { join } from "node:path";
import { findNodes } from "../../../tests/support/node.ts";
import { CONFIGURATIONS } from "../applications_text.ts";
import { summarize } from "../compete.ts";
import { type BenchOptions, progress } from "../contest.ts";
import { installLibrary } from "../installed.ts";
import type { Figure, Section, Unit } from "../report.ts";
import { checkTypes, type TypeCosts } from "../../type_costs.ts";

const NOTHING = "nothing";
const LIBRARY = "the library";
const WHOLE_LIBRARY = "the library, with everything";

/** Measures how long TypeScript takes to check an application's configuration. */
export async function measureTypes({ rounds, peers }: BenchOptions): Promise<Section> {
  const library = await installLibrary();
  const { newest } = await findNodes();
  const tsc = join(peers, "node_modules", "typescript", "bin", "tsc");
  const found = new Map<string, TypeCosts[]>();
  try {
    for (let round = 0; round < Math.max(2, Math.ceil(rounds / 5)); round++) {
      progress(`  round ${round}`);
      for (const [name, text] of Object.entries(CONFIGURATIONS)) {
        const costs = await checkTypes(text, {
          folder: [LIBRARY, WHOLE_LIBRARY].includes(name) ? library : peers,
          tsc: [newest, tsc],
        });
        found.set(name, [...found.get(name) ?? [], costs]);
      }
    }
  } finally {
    await Deno.remove(library, { recursive: true });
  }
  function figure(name: string, key: keyof TypeCosts, unit: Unit = ""): Figure {
    const factor = key === "seconds" ? 1000 : 1;
    const { microseconds, noise } = summarize(found.get(name)!.map((costs) => costs[key]));
    return { value: microseconds * factor, unit, noise };
  }
  return {
    name: "types",
    title: "Checking the types of a configuration",
    about:
      "`tsc --noEmit` of one file with the application's configuration and one use of it, strict and with " +
      "`skipLibCheck`, and of one with everything that the library has. Better Auth's passkeys and API keys are other " +
      "packages, and not in. The time is what the compiler reports in total, on Node.",
    tables: [{
      title: "tsc",
      columns: ["time", "types", "instantiations", "files"],
      rows: Object.keys(CONFIGURATIONS).map((name) => ({
        name: name === NOTHING ? "an empty file" : name,
        figures: [
          figure(name, "seconds", "ms"),
          figure(name, "types"),
          figure(name, "instantiations"),
          figure(name, "files"),
        ],
      })),
      base: LIBRARY,
    }],
    goals: [],
  };
}
