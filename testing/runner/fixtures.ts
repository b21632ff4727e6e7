import type { TestContext, TestFunction } from "./test_api.ts";

/**
 * Fixtures for `test.extend`: a value, or a function that hands one to `use` and goes on when the
 * test is over.
 */
export type FixtureMap = Record<string, unknown>;

type FixtureFunction = (
  values: Record<string, unknown>,
  use: (value: unknown) => Promise<void>,
) => unknown;

/** One fixture, read. */
interface Fixture {
  /** Sets it up for tests that do not name it, too. */
  auto: boolean;
  needs: string[];
  value: unknown;
}

/**
 * Makes the function of a test get its fixtures: those that its parameter names, as in vitest.
 *
 * @param map Fixtures by name; those of an outer `extend` come first.
 * @param fn The test's function.
 */
export function withFixtures(map: FixtureMap, fn: TestFunction): TestFunction {
  const fixtures = new Map(
    Object.entries(map).map(([name, given]) => [name, readFixture(given)]),
  );
  const auto = [...fixtures].filter(([, fixture]) => fixture.auto).map(([name]) => name);
  const names = [...new Set([...auto, ...destructured(fn)])];
  return async (context) => {
    const values: Record<string, unknown> = { ...context };
    let failure: { error: unknown } | undefined;
    await provide(names, { fixtures, values }, async () => {
      // What comes after `use` in a fixture runs whether or not the test failed.
      await Promise.resolve().then(() => fn(values as unknown as TestContext)).catch(
        (error: unknown) => {
          failure = { error };
        },
      );
    });
    if (failure !== undefined) throw failure.error;
  };
}

async function provide(
  names: string[],
  own: { fixtures: Map<string, Fixture>; values: Record<string, unknown> },
  body: () => Promise<void>,
): Promise<void> {
  const [name, ...rest] = names;
  if (name === undefined) return await body();
  const { fixtures, values } = own;
  const fixture = fixtures.get(name);
  if (fixture === undefined || name in values) return await provide(rest, own, body);
  const { value, needs } = fixture;
  if (typeof value !== "function") {
    values[name] = value;
    return await provide(rest, own, body);
  }
  await provide(needs, own, async () => {
    let isUsed = false;
    await (value as FixtureFunction)(values, async (made) => {
      isUsed = true;
      values[name] = made;
      await provide(rest, own, body);
    });
    if (!isUsed) throw new Error(`The fixture "${name}" ended without calling use().`);
  });
}

function readFixture(given: unknown): Fixture {
  const isPair = Array.isArray(given) && given.length === 2 && isOptions(given[1]);
  const value: unknown = isPair ? given[0] : given;
  return {
    auto: isPair && (given[1] as { auto?: boolean }).auto === true,
    needs: typeof value === "function" ? destructured(value) : [],
    value,
  };
}

function isOptions(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("auto" in value || "scope" in value);
}

/** The names that a function takes out of its first parameter. */
function destructured(fn: unknown): string[] {
  const [, names = ""] =
    /^(?:async\s*)?(?:function\s*[\w$]*\s*)?\(\s*\{([^}]*)\}/.exec(String(fn)) ?? [];
  return names.split(",").map((part) => part.split(/[:=]/)[0]!.trim()).filter((name) =>
    name !== "" && !name.startsWith("...")
  );
}
