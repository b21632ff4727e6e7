import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { powershellScript } from "../completions/powershell.ts";
import { framework, withProject } from "../../tests/support/command_line.ts";

const NO_POWERSHELL = " [unavoidable: no package of Debian has PowerShell]";

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
    env: { HOME: cwd, PATH: `${join(cwd, "bin")}:${Deno.env.get("PATH")}` },
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
_describe() { local name=$@[-1]; print -l -- "\${(@)\${(P@)name}%%:*}"; }
source ./script; words=(${quote(words)}); CURRENT=${words.length}; PREFIX=$words[-1]; _framework`,
  ], root).then((lines) => lines.filter((word) => word.startsWith(words.at(-1)!)));

const askFish: Ask = (root, words) =>
  run("fish", ["--no-config", "-c", `source ./script; complete -C "${words.join(" ")}"`], root)
    .then((lines) => lines.map((line) => line.split("\t")[0]!));

/** PowerShell itself offers files, with the folder that they are in. */
const askPowershell: Ask = (root, words) =>
  run("pwsh", [
    "-NoProfile",
    "-Command",
    `Get-Content -Raw ./script | Invoke-Expression
$line = '${words.join(" ")}'
[System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null).CompletionMatches |
  ForEach-Object CompletionText`,
  ], root).then((lines) => lines.map((line) => line.replace(/^\.[\\/]/, "")));

const shells: [name: string, program: string, ask: Ask][] = [
  ["bash", "bash", askBash],
  ["zsh", "zsh", askZsh],
  ["fish", "fish", askFish],
  ["powershell", "pwsh", askPowershell],
];

/** A project whose files have names that a shell would execute. */
const project = {
  "a-file": "",
  "app/page.tsx": "",
  "app/users/[id]/page.tsx": "",
  "app/docs/[...path]/page.tsx": "",
  "app/$HOME/page.tsx": "",
  "seeds/demo.ts": "",
  "seeds/development.sql": "",
  "seeds/$(touch made).ts": "",
  "seeds/`touch made`.sql": "",
  "seeds/notes.txt": "",
};

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

for (const [shell, program, ask] of shells) {
  Deno.test({
    name: `completions ${shell} offers commands, options and choices in that shell` +
      (program === "pwsh" && !has(program) ? NO_POWERSHELL : ""),
    ignore: !has(program),
    fn: () =>
      withProject(project, async (root) => {
        const { code, stdout } = await framework(root, "completions", shell);
        assert.equal(code, 0);
        await Deno.writeTextFile(join(root, "script"), stdout);
        await Deno.mkdir(join(root, "bin"));
        const command = `#!/bin/sh\nexec "${Deno.execPath()}" run -A "${main}" "$@"\n`;
        await Deno.writeTextFile(join(root, "bin", "framework"), command, { mode: 0o755 });
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
          [["framework", "generate", "page", "/u"], ["/users/:id"]],
          [["framework", "generate", "layout", "/d"], ["/docs/:path*"]],
          [["framework", "generate", "page", "/$"], []],
          [["framework", "seed", "de"], ["demo", "development"]],
        ];
        for (const [words, expected] of cases) {
          assert.deepEqual((await ask(root, words)).sort(), expected, words.join(" "));
        }
        assert.equal(existsSync(join(root, "made")), false, "a name was executed");
      }),
  });
}

Deno.test("the script for PowerShell closes what it opens, whatever a summary contains", () => {
  const script = powershellScript([{
    path: "",
    commands: [{ name: "odd", summary: 'It\'s ‘odd’ {"$(x)"} # | `' }],
    options: [{ flags: ["--odd"], summary: "'}", value: ["a'b", "c"] }],
    positionals: [],
  }]);
  assert.ok(script.includes(`'|0' { 'odd|It''s ‘‘odd’’ {"$(x)"} # | \`' }`), script);
  assert.ok(script.includes("'|--odd' { 'a''b'; 'c' }"), script);
  const code = script.replace(/'(?:[^'‘’]|['‘’]{2})*'/g, "").replace(/"[^"]*"|#.*/g, "");
  assert.doesNotMatch(code, /['"‘’`]/);
  const open: string[] = [];
  for (const [bracket] of code.matchAll(/[(){}[\]]/g)) {
    const closes = "([{"[")]}".indexOf(bracket)];
    if (closes === undefined) open.push(bracket);
    else assert.equal(open.pop(), closes);
  }
  assert.deepEqual(open, []);
});

Deno.test("completions is a usage error for another shell", async () => {
  const { code, stderr } = await framework("/", "completions", "fsh");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^error: The argument <shell> must be bash, zsh, fish or powershell, found "fsh"\./,
  );
});
