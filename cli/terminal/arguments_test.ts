import assert from "node:assert/strict";
import { CliError } from "./exit.ts";
import { parseCommandArguments, readGlobalFlags, takeCommandName } from "./arguments.ts";
import type { Command } from "./command.ts";

const command: Command = {
  name: "serve",
  summary: "Serve",
  positionals: [{ name: "dir", summary: "Folder", required: true }, {
    name: "other",
    summary: "Other",
  }],
  options: {
    port: { type: "integer", short: "p", default: 8787, min: 0, max: 65535, summary: "Port" },
    host: { type: "string", summary: "Host" },
    open: { type: "boolean", short: "o", default: false, summary: "Open" },
    minify: { type: "boolean", default: true, summary: "Minify" },
    local: { type: "boolean", summary: "Local" },
  },
  run: () => Promise.resolve(0),
};

Deno.test("parseCommandArguments() fills in defaults and tells what was typed", () => {
  const parsed = parseCommandArguments(["app", "-p", "3000", "--no-minify", "--host=::1"], command);
  assert.deepEqual(parsed.positionals, ["app"]);
  assert.equal(parsed.values["port"], 3000);
  assert.equal(parsed.values["minify"], false);
  assert.equal(parsed.values["host"], "::1");
  assert.equal(parsed.values["open"], false);
  assert.equal(parsed.values["local"], undefined);
  assert.deepEqual([...parsed.explicit].sort(), ["host", "minify", "port"]);
});

Deno.test("parseCommandArguments() reads grouped and joined short options", () => {
  const { values } = parseCommandArguments(["-oqp3000", "app"], command);
  assert.deepEqual([values["open"], values["quiet"], values["port"]], [true, true, 3000]);
});

Deno.test("parseCommandArguments() takes what follows -- as arguments", () => {
  assert.deepEqual(parseCommandArguments(["--", "--port", "-x"], command).positionals, [
    "--port",
    "-x",
  ]);
});

Deno.test("parseCommandArguments() keeps what follows -- for the program that the command runs", () => {
  const passes = { name: "runner's options", summary: "Options", example: "--bail=1" };
  const runner = { ...command, passes };
  const { positionals, passed } = parseCommandArguments(["app", "--", "--port", "--", "x"], runner);
  assert.deepEqual({ positionals, passed }, {
    positionals: ["app"],
    passed: ["--port", "--", "x"],
  });
  assert.throws(
    () => parseCommandArguments(["app", "--shard=1/2"], runner),
    (error) =>
      error instanceof CliError &&
      /The runner's options follow `--`, for example `framework serve -- --bail=1`\./
        .test(error.hint ?? ""),
  );
});

Deno.test.each([
  [["app", "--prot", "1"], 'Unknown option "--prot". Did you mean "--port"?'],
  [["app", "--no-minfy"], 'Unknown option "--no-minfy". Did you mean "--no-minify"?'],
  [["app", "-x"], 'Unknown option "-x".'],
  [["app", "--no-open"], 'Unknown option "--no-open".'],
  [["app", "--no-local"], 'Unknown option "--no-local".'],
  [["app", "--constructor"], 'Unknown option "--constructor".'],
  [["app", "--__proto__"], 'Unknown option "--__proto__".'],
  [["app", "--no-"], 'Unknown option "--no-". Did you mean "--no-minify"?'],
  [["app", "--port"], "The option --port needs a value."],
  [["app", "--port", "--open"], "The option --port needs a value, found --open."],
  [
    ["app", "--port", "80x"],
    'The option --port needs a whole number from 0 to 65535, found "80x".',
  ],
  [
    ["app", "--port=65536"],
    'The option --port needs a whole number from 0 to 65535, found "65536".',
  ],
  [["app", "--port=-1"], 'The option --port needs a whole number from 0 to 65535, found "-1".'],
  [["app", "--port="], 'The option --port needs a whole number from 0 to 65535, found "".'],
  [["app", "--open=yes"], "The option --open takes no value."],
  [["app", "--no-minify=1"], "The option --no-minify takes no value."],
  [[], "The argument <dir> is missing."],
  [["a", "b", "c"], 'Unexpected argument "c".'],
])("parseCommandArguments(%o) fails with %o", (argv, message) => {
  assert.throws(
    () => parseCommandArguments(argv, command),
    (error) =>
      error instanceof CliError && error.message === message && error.exitCode === 1 &&
      error.hint === "Run `framework serve --help` to see what it accepts.",
  );
});

Deno.test("takeCommandName() skips global options and their values", () => {
  assert.deepEqual(takeCommandName(["-c", "x.ts", "--quiet", "dev", "--port", "1"]), {
    name: "dev",
    rest: ["-c", "x.ts", "--quiet", "--port", "1"],
  });
  assert.deepEqual(takeCommandName(["--config=x.ts", "dev"]).name, "dev");
  assert.deepEqual(takeCommandName(["--help"]), { name: undefined, rest: ["--help"] });
  assert.deepEqual(takeCommandName(["--", "dev"]).name, undefined);
});

Deno.test("readGlobalFlags() does not take an option's value for a switch", () => {
  const flags = readGlobalFlags(["--host", "-h", "--verbose"], command.options);
  assert.deepEqual(flags, { help: false, version: false, verbose: true, quiet: false });
});

Deno.test("parseCommandArguments() accepts the choices of an option or argument, and no other value", () => {
  const choosing: Command = {
    name: "make",
    summary: "Make",
    positionals: [{ name: "type", summary: "Type", choices: ["page", "route", "layout"] }],
    options: { format: { type: "string", choices: ["json", "sarif"], summary: "Format" } },
    run: () => Promise.resolve(0),
  };
  const parsed = parseCommandArguments(["page", "--format", "sarif"], choosing);
  assert.deepEqual([parsed.positionals, parsed.values["format"]], [["page"], "sarif"]);
  assert.throws(() => parseCommandArguments(["paeg"], choosing), {
    message:
      'The argument <type> must be page, route or layout, found "paeg". Did you mean "page"?',
  });
  assert.throws(() => parseCommandArguments(["--format=xml"], choosing), {
    message: 'The option --format must be json or sarif, found "xml".',
  });
});

Deno.test("parseCommandArguments() hands over all arguments to one that takes many", () => {
  const many: Command = {
    name: "test",
    summary: "Test",
    positionals: [{ name: "files", summary: "Files", many: true }],
    options: {},
    run: () => Promise.resolve(0),
  };
  assert.deepEqual(parseCommandArguments(["a", "b", "c"], many).positionals, ["a", "b", "c"]);
  assert.deepEqual(parseCommandArguments([], many).positionals, []);
});
