import assert from "node:assert/strict";
import { join } from "node:path";
import { framework, withProject } from "../../tests/support/command_line.ts";

function has(shell: string): boolean {
  try {
    return new Deno.Command(shell, { args: ["-c", "exit 0"] }).outputSync().success;
  } catch {
    return false;
  }
}

/** Asks a shell for the completions of each line; the last word is being typed. */
type Ask = (root: string, words: string[]) => Promise<string[]>;

async function run(command: string, args: string[], cwd: string): Promise<string[]> {
  const { stdout, stderr, code } = await new Deno.Command(command, {
    args,
    cwd,
    env: { HOME: cwd },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

function quote(words: string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

const askBash: Ask = (root, words) =>
  run("bash", [
    "--norc",
    "-c",
    `source ./script; COMP_WORDS=(${quote(words)}); COMP_CWORD=${words.length - 1}; _framework
printf '%s\\n' "\${COMPREPLY[@]}"`,
  ], root);

/** Outside of its line editor zsh has no completion; the functions that would offer print instead. */
const askZsh: Ask = (root, words) =>
  run("zsh", [
    "-f",
    "-c",
    `compdef() { :; }; _files() { print -l *; }; _message() { :; }
compadd() { print -l -- "\${@[2,-1]}"; }
_describe() { local name=$@[-1]; print -l -- "\${(P@)name}"; }
source ./script; words=(${quote(words)}); CURRENT=${words.length}; PREFIX=$words[-1]; _framework`,
  ], root).then((lines) =>
    lines.map((line) => line.split(":")[0]!).filter((word) => word.startsWith(words.at(-1)!))
  );

const askFish: Ask = (root, words) =>
  run("fish", ["--no-config", "-c", `source ./script; complete -C "${words.join(" ")}"`], root)
    .then((lines) => lines.map((line) => line.split("\t")[0]!));

const shells: [string, Ask][] = [["bash", askBash], ["zsh", askZsh], ["fish", askFish]];

for (const [shell, ask] of shells) {
  Deno.test({
    name: `completions ${shell} offers commands, options and choices in that shell`,
    ignore: !has(shell),
    fn: () =>
      withProject({ "a-file": "" }, async (root) => {
        const { code, stdout } = await framework(root, "completions", shell);
        assert.equal(code, 0);
        await Deno.writeTextFile(join(root, "script"), stdout);
        const cases: [string[], string[]][] = [
          [["framework", "gen"], ["generate"]],
          [["framework", "generate", "l"], ["layout", "loading"]],
          [["framework", "generate", "page", "--loa"], ["--loader"]],
          [["framework", "--config", "x.ts", "migrate", "st"], ["status"]],
          [["framework", "-c", "a-f"], ["a-file"]],
          [["framework", "migrate", "up", "--loc"], ["--local"]],
          [["framework", "lint", "--format", "s"], ["sarif", "stylish"]],
          [["framework", "build", "--no-m"], ["--no-minify"]],
          [["framework", "generate", "page", "--st"], []],
        ];
        for (const [words, expected] of cases) {
          assert.deepEqual((await ask(root, words)).sort(), expected, words.join(" "));
        }
      }),
  });
}

Deno.test("completions is a usage error for another shell", async () => {
  const { code, stderr } = await framework("/", "completions", "fsh");
  assert.equal(code, 1);
  assert.match(stderr, /^error: The argument <shell> must be bash, zsh or fish, found "fsh"\./);
});
