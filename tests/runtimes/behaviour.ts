import type { SqlDatabase, Storage } from "@framework/auth";

/** Facilities that the runtime gives to a case. */
export interface World {
  /** An empty database or storage. */
  createDatabase(): Promise<SqlDatabase | Storage>;
  /** How often a race is run. */
  rounds: number;
}

/**
 * One claim about the library, as a plain function over its public entries: it knows neither a test
 * runner nor the runtime. It throws when the claim does not hold; what it returns was seen on the way
 * and must be the same on every runtime.
 */
export type Case = (world: World) => unknown;

/** Result of one case. */
export interface CaseResult {
  name: string;
  /** "passed", or what was thrown. */
  outcome: string;
  /** Return value of the case, as JSON. */
  seen: string;
  /** True when it asked for a database. */
  stores: boolean;
}

/** Runs cases one after the other. */
export async function runCases(
  cases: Readonly<Record<string, Case>>,
  world: World,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const [name, run] of Object.entries(cases)) {
    let stores = false;
    const createDatabase: World["createDatabase"] = () => {
      stores = true;
      return world.createDatabase();
    };
    try {
      const seen = JSON.stringify(await run({ ...world, createDatabase })) ?? "";
      results.push({ name, outcome: "passed", seen, stores });
    } catch (error) {
      const told = error instanceof Error ? error.stack ?? error.message : String(error);
      results.push({ name, outcome: told, seen: "", stores });
    }
  }
  return results;
}
