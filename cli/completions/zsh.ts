import { type CompletedOption, type Completion, nameLists } from "./describe.ts";

/**
 * Generates the completion script for zsh.
 *
 * @param completions Everything that can be typed.
 */
export function zshScript(completions: readonly Completion[]): string {
  return `#compdef framework
# Completions of framework for zsh: source <(framework completions zsh)
_framework() {
  local where="" word option
  local -i count=0 skip=0 i
  local -A takes
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$where|$word" in
${completions.flatMap(valueFlags).join("\n")}
      *"|-"*) ;;
${completions.flatMap(commandCases).join("\n")}
      *) count=$((count + 1)) ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    option="\${PREFIX%%=*}"
    compset -P 1 '*='
  elif ((skip)); then option="\${words[CURRENT-1]}"; fi
  case "$where|$option" in
${completions.flatMap(valueCases).join("\n")}
  esac
  local -a candidates=()
  if [[ $PREFIX == -* ]]; then
    case "$where" in
${completions.map(optionCase).join("\n")}
    esac
    _describe -o option candidates
    return
  fi
  case "$where|$count" in
${completions.flatMap(argumentCases).join("\n")}
    *) _files; return ;;
  esac
  _describe argument candidates
}
compdef _framework framework
`;
}

function valueFlags({ path, options }: Completion): string[] {
  const flags = options.filter(({ value }) => value !== "none")
    .flatMap(({ flags }) => flags.map((flag) => `"${path}|${flag}"`));
  return flags.length === 0 ? [] : [`      ${flags.join(" | ")}) skip=1 ;;`];
}

function commandCases({ path, commands }: Completion): string[] {
  return commands.map(({ name }) =>
    `      "${path}|${name}") where="${path === "" ? name : `${path} ${name}`}" ;;`
  );
}

function valueCases({ path, options }: Completion): string[] {
  return options.filter(({ value }) => value !== "none").map(({ flags, value }) => {
    const names = flags.map((flag) => `"${path}|${flag}"`).join(" | ");
    return `    ${names}) ${action(value)}; return ;;`;
  });
}

function action(value: CompletedOption["value"]): string {
  if (value === "file") return "_files";
  return typeof value === "string" ? "_message value" : `compadd -- ${value.join(" ")}`;
}

function optionCase({ path, options }: Completion): string {
  const items = options.flatMap(({ flags, summary }) =>
    flags.map((flag) => quote(`${flag}:${summary}`))
  );
  return `      "${path}") candidates=(${items.join(" ")}) ;;`;
}

function argumentCases({ path, commands, positionals }: Completion): string[] {
  if (commands.length > 0) {
    const items = commands.map(({ name, summary }) => quote(`${name}:${summary}`));
    return [`    "${path}|0") candidates=(${items.join(" ")}) ;;`];
  }
  return positionals.flatMap((argument, index) => {
    if (argument === "file") return [];
    // A colon ends a name for _describe.
    const action = typeof argument !== "string"
      ? `candidates=(${argument.join(" ")})`
      : argument === "none"
      ? "_message name; return"
      : `compadd -- \${(f)"$(${nameLists[argument]})"}; return`;
    return [`    "${path}|${index}") ${action} ;;`];
  });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
