import { bashScript } from "../completions/bash.ts";
import { describeCompletions } from "../completions/describe.ts";
import { fishScript } from "../completions/fish.ts";
import { powershellScript } from "../completions/powershell.ts";
import { zshScript } from "../completions/zsh.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** `framework completions <shell>`. */
export const command: Command = {
  name: "completions",
  summary: "Print the completion script of a shell",
  positionals: [{
    name: "shell",
    summary: "bash, zsh, fish or powershell",
    required: true,
    choices: Object.keys(scripts),
  }],
  options: {},
  examples: [
    "source <(framework completions bash)",
    "source <(framework completions zsh)",
    "framework completions fish | source",
    "framework completions powershell | Out-String | Invoke-Expression",
  ],
  async run({ output, positionals, registry }) {
    const script = scripts[positionals[0] as keyof typeof scripts];
    output.data(script(await describeCompletions(registry)));
    return ExitCode.ok;
  },
};
