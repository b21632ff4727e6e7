import type { CompletedArgument, CompletedOption, Completion } from "./describe.ts";

/**
 * Generates the completion script for PowerShell, from version 5.1 on. Where it has nothing to offer,
 * PowerShell offers files.
 *
 * @param completions Everything that can be typed.
 */
export function powershellScript(completions: readonly Completion[]): string {
  return `# Completions of framework for PowerShell: framework completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName framework -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # What follows an option: words, <file>, <any>, or nothing when it takes no value.
    function Get-FrameworkValue([string] $key) {
        switch -CaseSensitive ($key) {
${completions.flatMap(valueCases).join("\n")}
        }
    }
    function Get-FrameworkCommand([string] $key) {
        switch -CaseSensitive ($key) {
${completions.flatMap(commandCases).join("\n")}
        }
    }
    # Each with its summary behind a bar.
    function Get-FrameworkOption([string] $key) {
        switch -CaseSensitive ($key) {
${completions.map(optionCase).join("\n")}
        }
    }
    function Get-FrameworkArgument([string] $key) {
        switch -CaseSensitive ($key) {
${completions.flatMap(argumentCases).join("\n")}
        }
    }
    $where = ''
    $count = 0
    $option = ''
    foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        $text = $element.Extent.Text
        if ($option) { $option = ''; continue }
        if ($text.StartsWith('-')) {
            if (Get-FrameworkValue "$where|$text") { $option = $text }
            continue
        }
        $next = Get-FrameworkCommand "$where|$text"
        if ($next) { $where = $next } else { $count++ }
    }
    $prefix = ''
    $current = [string] $wordToComplete
    if ($current -match '^(--[^=]+)=(.*)$') {
        $option = $Matches[1]
        $prefix = $option + '='
        $current = $Matches[2]
    }
    if ($option) { $candidates = Get-FrameworkValue "$where|$option" }
    elseif ($current.StartsWith('-')) { $candidates = Get-FrameworkOption $where }
    else { $candidates = Get-FrameworkArgument "$where|$count" }
    foreach ($candidate in $candidates) {
        $text, $summary = $candidate -split '\\|', 2
        if ($text.StartsWith('<')) { continue }
        if (-not $text.StartsWith($current, [System.StringComparison]::Ordinal)) { continue }
        if (-not $summary) { $summary = $text }
        [System.Management.Automation.CompletionResult]::new($prefix + $text, $text, 'ParameterValue', $summary)
    }
}
`;
}

/** Lists of the names of a project, without those that PowerShell would expand. */
const lists = {
  routes: "@((framework routes --json 2>$null | Out-String | ConvertFrom-Json).pattern) " +
    "-match '^/[A-Za-z0-9._~/:*-]*$' | Sort-Object -Unique",
  seeds: "@(Get-ChildItem seeds -Name -ErrorAction SilentlyContinue) " +
    "-match '^[A-Za-z0-9_][A-Za-z0-9._-]*\\.(ts|sql)$' -replace '\\.(ts|sql)$'",
};

function valueCases({ path, options }: Completion): string[] {
  return options.filter(({ value }) => value !== "none").flatMap(({ flags, value }) =>
    flags.map((flag) => branch(`${path}|${flag}`, shownValue(value).map(quote).join("; ")))
  );
}

function shownValue(value: CompletedOption["value"]): readonly string[] {
  return typeof value === "string" ? [`<${value}>`] : value;
}

function commandCases({ path, commands }: Completion): string[] {
  return commands.map(({ name }) =>
    branch(`${path}|${name}`, quote(path === "" ? name : `${path} ${name}`))
  );
}

function optionCase({ path, options }: Completion): string {
  const items = options.flatMap(({ flags, summary }) =>
    flags.map((flag) => quote(`${flag}|${summary}`))
  );
  return branch(path, items.join("; "));
}

function argumentCases({ path, commands, positionals }: Completion): string[] {
  if (commands.length > 0) {
    const items = commands.map(({ name, summary }) => quote(`${name}|${summary}`));
    return [branch(`${path}|0`, items.join("; "))];
  }
  return positionals.flatMap((argument, index) => {
    const values = argumentValues(argument);
    return values === null ? [] : [branch(`${path}|${index}`, values)];
  });
}

function argumentValues(argument: CompletedArgument): string | null {
  if (argument === "file" || argument === "none") return null;
  return typeof argument === "string" ? lists[argument] : argument.map(quote).join("; ");
}

function branch(key: string, body: string): string {
  return `            ${quote(key)} { ${body} }`;
}

/** Quotes a text; typographic quotes end a text as well. */
function quote(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, "$&$&")}'`;
}
