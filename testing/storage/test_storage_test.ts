import { createMemoryRevocationStore, createMemoryStorage } from "@framework/auth/storage";
import { type StorageSuite, testRevocationStore, testStorage } from "@framework/testing/storage";
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { capture } from "../../scripts/run_command.ts";

const fixtures = fileURLToPath(new URL("./fixtures/", import.meta.url));

/** Runs the tests of some storages of the fixtures, and reads the report about each. */
async function testOf(...storages: string[]) {
  const { code, stdout, stderr } = await capture(
    Deno.execPath(),
    ["test", "-A", "--no-check", "storages.ts"],
    { cwd: fixtures, env: { STORAGES: storages.join("\n") } },
  );
  const output = stripVTControlCharacters(stdout + stderr);
  return {
    code,
    output,
    /** Names of the tests of a storage that ended so. */
    named: (result: "ok" | "FAILED" | "ignored", storage: string): string[] => {
      const lines = new RegExp(`^a storage ${storage}: (.*) \\.\\.\\. ${result} `, "gm");
      return [...output.matchAll(lines)].map(([, name]) => name!);
    },
  };
}

let right: ReturnType<typeof testOf> | undefined;
let wrong: ReturnType<typeof testOf> | undefined;

/** Those that are right, all in one process, which tells them apart as one of each would. */
const testRight = () =>
  right ??= testOf("in memory", "over SQLite", "without groups", "of a class");

const LOST = "exchanges that are lost, because open() sends none by trip()";

Deno.test("testStorage() passes a storage that does what the port says, and lists what it does not test", async () => {
  const { code, output, named } = await testRight();
  assert.equal(code, 0, output);
  assert.deepEqual(named("ignored", "in memory"), [LOST]);
  assert.deepEqual(named("ignored", "over SQLite"), []);
  assert.ok(named("ok", "over SQLite").length > named("ok", "in memory").length);
});

Deno.test("testStorage() tests a storage without groups, and names each that it has not", async () => {
  const { output, named } = await testRight();
  for (const storage of ["without groups", "of a class"]) {
    const skipped = named("ignored", storage);
    assert.ok(named("ok", storage).length >= 20, output);
    assert.ok(skipped.includes("group passkeys, which it does not have"), output);
    assert.ok(skipped.includes("group rateLimits, which it does not have"), output);
  }
});

const BROKEN: [storage: string, failed: string[]][] = [
  [
    "with some groups that leaves a mailed link",
    [
      "disableUser() ends sessions, links, known and trusted browsers and API keys, which do not come back",
    ],
  ],
  ["that loses a race", ["takeSecret() gives a secret to one of 100 at once"]],
  ["that forgets a row", ["insertSession() ends the session that it replaces"]],
  ["that shows what is not committed", ["nobody reads what an operation takes back"]],
  ["that compares without case", ["a token hash opens no session whose hash looks alike"]],
  [
    "that has a clock of its own",
    ["secrets end by the caller's clock to the millisecond, in whatever year"],
  ],
  [
    "whose batches are no transactions",
    [
      "completeSignUp() happens as a whole or not at all when an exchange is lost",
      "insertSession() with a new owner and an account happens as a whole or not at all when an exchange is lost",
    ],
  ],
  ["that lets through one more", [
    "a limit lets exactly the limit through when 100 come at once, 20 times of 20",
  ]],
];

/** Those that are wrong, in another one. */
const testWrong = () => wrong ??= testOf(...BROKEN.map(([storage]) => storage));

Deno.test("testStorage() names what it does not test of a group, because another one is missing", async () => {
  const skipped = (await testWrong()).named(
    "ignored",
    "with some groups that leaves a mailed link",
  );
  const partial = skipped.filter((name) => name.includes(", without "));
  assert.ok(
    partial.includes(
      "deleteUser() takes accounts and passkeys with it, without linkedAccounts, passkeys",
    ),
    skipped.join("\n"),
  );
  // Operations that the storage does not have are named by their group alone.
  assert.deepEqual(partial.filter((name) => name.startsWith("putNewestSecret()")), []);
});

Deno.test("testStorage() lists the last calls of a test that fails", async () => {
  const { output } = await testWrong();
  assert.match(
    output,
    /The last calls of the storage:\n(?: {2}\w+\(.*\) → .*\n)* {2}insertSession\(.* replaces: .*\) → \{ user: .*\n(?: {2}\w+\(.*\) → .*\n)*\n/,
  );
});

Deno.test("testStorage() and testRevocationStore() register every case that there is, with its suite", async () => {
  const told: Record<string, StorageSuite> = {};
  const test = (name: string, _: unknown, { suite }: { suite: StorageSuite }) => {
    const title = name.replace(/^all: (?:a limit )?/, "");
    assert.ok(!(title in told), `${title}: twice`);
    told[title] = suite;
  };
  await testStorage("all", {
    test,
    open({ trip }) {
      const memory = createMemoryStorage();
      return { storage: { ...memory, getUser: (id) => trip(() => memory.getUser(id)) } };
    },
  });
  await testRevocationStore("all", {
    test,
    open: () => ({ storage: createMemoryRevocationStore() }),
  });
  const written: Record<string, StorageSuite> = {};
  for (const file of await readdir(new URL(".", import.meta.url))) {
    if (!file.endsWith("_cases.ts")) continue;
    const module: Record<string, Record<string, { suite: StorageSuite }>> = await import(
      new URL(file, import.meta.url).href
    );
    for (const [name, cases] of Object.entries(module)) {
      if (!/_(?:CASES|RACES)$/.test(name)) continue;
      for (const [title, { suite }] of Object.entries(cases)) {
        const end = suite === "interruptions"
          ? " happens as a whole or not at all when an exchange is lost"
          : "";
        written[title + end] = suite;
      }
    }
  }
  assert.deepEqual(told, written);
  const count = (suite: StorageSuite) => Object.values(told).filter((one) => one === suite).length;
  for (
    const suite of ["operations", "races", "limits", "clocks", "keys", "interruptions"] as const
  ) {
    assert.ok(count(suite) > 5, `${suite}: ${count(suite)}`);
  }
});

for (const [storage, expected] of BROKEN) {
  // Tracks: K4, F11, F32
  Deno.test(`testStorage() fails a storage ${storage}`, async () => {
    const { code, output, named } = await testWrong();
    assert.equal(code, 1, output);
    const failed = named("FAILED", storage);
    for (const name of expected) assert.ok(failed.includes(name), `${name}\n${output}`);
    // By those that are about it, and not by whatever is asked.
    assert.ok(named("ok", storage).length > failed.length * 4, output);
  });
}
