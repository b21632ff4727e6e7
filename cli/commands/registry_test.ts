import assert from "node:assert/strict";
import { type Command, type CommandRegistry, globalOptions, isGroup } from "../terminal/command.ts";
import { commands } from "./registry.ts";

async function allCommands(
  registry: CommandRegistry,
  words: string[] = [],
): Promise<{ words: string[]; command: Command }[]> {
  const found: { words: string[]; command: Command }[] = [];
  for (const [name, entry] of Object.entries(registry)) {
    const loaded = await entry.load();
    assert.equal(loaded.summary, entry.summary, `summary of ${name}`);
    assert.equal(loaded.name, [...words, name].join(" "));
    if (isGroup(loaded)) found.push(...await allCommands(loaded.commands, [...words, name]));
    else found.push({ words: [...words, name], command: loaded });
  }
  return found;
}

Deno.test("commands have the name and summary under which they are registered", async () => {
  const names = (await allCommands(commands)).map(({ words }) => words.join(" "));
  assert.deepEqual(names, [
    "init",
    "dev",
    "build",
    "deploy",
    "generate",
    "routes",
    "openapi",
    "types",
    "typecheck",
    "lint",
    "test",
    "migrate create",
    "migrate up",
    "migrate down",
    "migrate status",
    "migrate reset",
    "seed",
    "secret",
    "doctor",
    "completions",
  ]);
});

Deno.test("commands redefine no global option and no letter", async () => {
  for (const { command } of await allCommands(commands)) {
    const letters = new Set(Object.values(globalOptions).map(({ short }) => short));
    for (const [name, spec] of Object.entries(command.options)) {
      assert.equal(name in globalOptions, false, `${command.name} --${name}`);
      if (spec.short === undefined) continue;
      assert.equal(letters.has(spec.short), false, `${command.name} -${spec.short}`);
      letters.add(spec.short);
    }
  }
});
