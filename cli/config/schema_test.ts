import assert from "node:assert/strict";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { validateConfig } from "./schema.ts";

Deno.test("validateConfig() accepts every key", () => {
  const config = {
    appDir: "src/app",
    publicDir: "static",
    outDir: "out",
    wrangler: "wrangler.json",
    database: "MAIN_DB",
    dev: { port: 0, host: "0.0.0.0", allowedHosts: ["dev.example.com"] },
    build: { minify: false, sourcemap: true },
  };
  assert.equal(validateConfig(config, "/p/framework.config.ts"), config);
  const postgres = { database: { binding: "MAIN", dialect: "postgres" } };
  assert.equal(validateConfig(postgres, "x"), postgres);
  assert.deepEqual(validateConfig({ dev: { port: undefined } }, "x"), { dev: { port: undefined } });
});

Deno.test.each([
  [null, "the default export: expected an object, found null."],
  [() => 1, "the default export: expected an object, found a function."],
  [{ appdir: "x" }, 'appdir: unknown key. Did you mean "appDir"?'],
  [{ dev: { prot: 1 } }, 'dev.prot: unknown key. Did you mean "port"?'],
  [{ constructor: 1 }, "constructor: unknown key."],
  [
    { dev: { port: "8787" } },
    "dev.port: expected a whole number from 0 to 65535, found a string.",
  ],
  [{ dev: { port: 70000 } }, "dev.port: expected a whole number from 0 to 65535, found 70000."],
  [{ dev: true }, "dev: expected an object, found true."],
  [
    { dev: { allowedHosts: "a" } },
    "dev.allowedHosts: expected a list of host names, found a string.",
  ],
  [{ build: { minify: 1 } }, "build.minify: expected true or false, found 1."],
  [{ outDir: "" }, "outDir: expected a path as a string, found a string that does not match."],
  [
    { database: { dialect: "mysql" } },
    'database.dialect: expected "sqlite" or "postgres", found a string that does not match.',
  ],
  [{ database: { dialekt: 1 } }, 'database.dialekt: unknown key. Did you mean "dialect"?'],
  [
    { database: null },
    "database: expected the name of a binding, for example DB, found null.",
  ],
  [{ outDir: null }, "outDir: expected a path as a string, found null."],
])("validateConfig(%o) is exit 2", (value, message) => {
  assert.throws(
    () => validateConfig(value, "/p/framework.config.ts"),
    (error) =>
      error instanceof CliError && error.exitCode === ExitCode.config &&
      error.message === `framework.config.ts: ${message}` && error.hint !== undefined,
  );
});

// Tracks: F46
Deno.test("validateConfig() prints no value that could be a secret", () => {
  const secret = "postgres://user:canary-7f3a@host/db";
  for (const value of [{ database: secret }, { dev: { host: secret } }, { dev: secret }]) {
    assert.throws(
      () => validateConfig(value, "framework.config.ts"),
      (error) => error instanceof CliError && !`${error.message}${error.hint}`.includes("canary"),
    );
  }
});
