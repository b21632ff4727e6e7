import { type CompletedOption, type Completion, nameLists } from "./describe.ts";

/**
 * Generates the completion script for fish.
 *
 * @param completions Everything that can be typed.
 */
export function fishScript(completions: readonly Completion[]): string {
  return `# Completions of framework for fish: framework completions fish | source
function __framework_state --description 'The command so far, a bar, and how many arguments follow it'
    set -l where
    set -l count 0
    set -l skip 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$where|$word"
${completions.flatMap(valueFlags).join("\n")}
            case '*|-*'
${completions.flatMap(commandCases).join("\n")}
            case '*'
                set count (math $count + 1)
        end
    end
    echo "$where|$count"
end

function __framework_at
    string match -q -- "$argv[1]|*" (__framework_state)
end

function __framework_argument
    test (__framework_state) = "$argv[1]"
end

complete -c framework -e
${completions.flatMap(completeLines).join("\n")}
`;
}

function valueFlags({ path, options }: Completion): string[] {
  const flags = options.filter(({ value }) => value !== "none")
    .flatMap(({ flags }) => flags.map((flag) => quote(`${path}|${flag}`)));
  return flags.length === 0
    ? []
    : [`            case ${flags.join(" ")}`, "                set skip 1"];
}

function commandCases({ path, commands }: Completion): string[] {
  return commands.flatMap(({ name }) => [
    `            case ${quote(`${path}|${name}`)}`,
    `                set where ${quote(path === "" ? name : `${path} ${name}`)}`,
  ]);
}

function completeLines({ path, commands, options, positionals }: Completion): string[] {
  const at = `complete -c framework -n ${quote(`__framework_at "${path}"`)}`;
  const lines = commands.map(({ name, summary }) =>
    `complete -c framework -n ${quote(`__framework_argument "${path}|0"`)} -f -a ${name} -d ${
      quote(summary)
    }`
  );
  for (const [index, argument] of positionals.entries()) {
    if (argument === "file") continue;
    const words = typeof argument !== "string"
      ? argument.join(" ")
      : argument === "none"
      ? ""
      : `(${nameLists[argument]})`;
    const when = quote(`__framework_argument "${path}|${index}"`);
    lines.push(`complete -c framework -n ${when} -f -a ${quote(words)}`);
  }
  for (const option of options) {
    lines.push(`${at} ${spellings(option)} -d ${quote(option.summary)}`);
    for (const negative of option.flags.filter((flag) => flag.startsWith("--no-"))) {
      lines.push(`${at} -l ${negative.slice(2)} -d ${quote(option.summary)}`);
    }
  }
  return lines;
}

function spellings({ flags, value }: CompletedOption): string {
  const words = flags.filter((flag) => !flag.startsWith("--no-")).map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
  );
  if (value === "file") words.push("-r -F");
  else if (value === "any") words.push("-x");
  else if (value !== "none") words.push(`-x -a ${quote(value.join(" "))}`);
  return words.join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
