import { type CompletedOption, type Completion, nameLists } from "./describe.ts";

/**
 * Generates the completion script for bash.
 *
 * @param completions Everything that can be typed.
 */
export function bashScript(completions: readonly Completion[]): string {
  return `# Completions of framework for bash: source <(framework completions bash)
_framework_words() {
  case "$1" in
${completions.map(wordsCase).join("\n")}
  esac
}

# What follows an option: words, "<file>", "<any>", or nothing when it takes no value.
_framework_value() {
  case "$1|$2" in
${completions.flatMap(valueCases).join("\n")}
  esac
}

_framework_argument() {
  case "$1|$2" in
${completions.flatMap(argumentCases).join("\n")}
    *) echo "<file>" ;;
  esac
}

_framework_is_command() {
  case "$1|$2" in
${completions.flatMap(commandCases).join("\n")}
  esac
  return 1
}

_framework() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes --format=json apart.
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  local where="" count=0 skip="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ $word == "=" ]]; then skip=1; continue; fi
    if [[ -n $skip ]]; then skip=""; continue; fi
    if [[ $word == -* ]]; then
      if [[ -n $(_framework_value "$where" "$word") ]]; then skip=1; fi
    elif _framework_is_command "$where" "$word"; then where="\${where:+$where }$word"
    else count=$((count + 1)); fi
  done
  COMPREPLY=()
  local values
  values="$(_framework_value "$where" "$previous")"
  case "$values" in
    "<file>") mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    "<any>") return ;;
    ?*) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current"); return ;;
  esac
  if [[ $current == -* ]]; then values="$(_framework_words "$where" | tr ' ' '\\n' | grep '^-')"
  else
    values="$(_framework_words "$where" | tr ' ' '\\n' | grep -v '^-') $(_framework_argument "$where" "$count")"
    if [[ $values == *"<file>" ]]; then
      values="\${values%"<file>"}"
      compopt -o default 2>/dev/null
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
}

complete -F _framework framework
`;
}

function wordsCase({ path, commands, options }: Completion): string {
  const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  return `    "${path}") echo "${words.join(" ")}" ;;`;
}

function valueCases({ path, options }: Completion): string[] {
  return options.filter(({ value }) => value !== "none").map(({ flags, value }) =>
    `    ${flags.map((flag) => `"${path}|${flag}"`).join(" | ")}) echo "${shownValue(value)}" ;;`
  );
}

function shownValue(value: CompletedOption["value"]): string {
  return typeof value === "string" ? `<${value}>` : value.join(" ");
}

function argumentCases({ path, commands, positionals }: Completion): string[] {
  if (commands.length > 0) return [`    "${path}|"*) ;;`];
  return positionals.flatMap((argument, index) => {
    if (argument === "file") return [];
    const command = typeof argument !== "string"
      ? `echo "${argument.join(" ")}"`
      : argument === "none"
      ? ":"
      : nameLists[argument];
    return [`    "${path}|${index}") ${command} ;;`];
  });
}

function commandCases({ path, commands }: Completion): string[] {
  if (commands.length === 0) return [];
  const names = commands.map(({ name }) => `"${path}|${name}"`).join(" | ");
  return [`    ${names}) return 0 ;;`];
}
