/** Token of a source text. A template or a JSX element is one token with all of its content. */
export interface Token {
  kind: "word" | "number" | "string" | "template" | "regex" | "jsx" | "punctuator";
  text: string;
  /** Offset in the source. */
  at: number;
  /** Number of brackets that are open around the token; a bracket itself is outside. */
  depth: number;
}

/** Maximum nesting of templates and JSX, so that a hostile file cannot exhaust the stack. */
const maxNesting = 200;
/**
 * Maximum number of failed attempts to read `/` as a regular expression or `<` as JSX, each of
 * which may read far ahead.
 */
const maxFailedAttempts = 20;

const space = /\s+/y;
const word = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
/** Common form of a word; when another character follows, {@linkcode word} decides. */
const plainWord = /#?[A-Za-z$_][\w$]*(?![\w$]|[^\0-\x7f])/y;
const number = /\d[\w.]*/y;
const string = /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/y;
const regex = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const punctuator = /=>|\+\+|--|\.\.\.|[^]/y;
const elementStart = /<(?:>|[\p{ID_Start}$_])/uy;
/** `<T,>(…)` and `<T extends …>(…)` begin a function. */
const typeParameters = /<\s*(?:const\s+)?[\w$]+\s*(?:,|extends\s+[^=/>])/y;
const tagName = /[\p{ID_Continue}$:.-]+/uy;
/** Words before an expression, after which `/` begins a regular expression and `<` an element. */
const beforeExpression = new Set(
  "return typeof case do else in instanceof new void delete throw await yield default of extends"
    .split(" "),
);
const beforeCondition = new Set(["if", "while", "for", "with"]);
const opens = new Set("([{");
const closes = new Set(")]}");
/** Characters that begin neither a word nor a number. */
const neverInWords = new Set("()[]{}<>.,;:?!=+-*/%&|^~@\"'`");

/** Tokens after which an operator follows, so that `/` divides. */
const afterValue = new Set([")", "]", "++", "--"]);

/** Internal error for text that cannot be read. */
class Unreadable extends Error {}

/**
 * Splits TypeScript or JavaScript into tokens, without white space and comments.
 *
 * @param source Text of the file.
 * @param options `jsx` is true for .tsx and .jsx.
 * @returns null for a text that nests deeper than any written by hand.
 */
export function tokenize(source: string, options: { jsx: boolean }): Token[] | null {
  let at = source.startsWith("#!") ? source.indexOf("\n") >>> 0 : 0;
  let nesting = 0;
  let failedAttempts = 0;

  function matches(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    return pattern.test(source);
  }

  function take(pattern: RegExp): string | undefined {
    if (!matches(pattern)) return undefined;
    const start = at;
    at = pattern.lastIndex;
    return source.slice(start, at);
  }

  /** Reads until the bracket that closes what was opened before, or to the end. */
  function readTokens(inner: boolean): Token[] {
    if (++nesting > maxNesting) throw new Unreadable();
    const tokens: Token[] = [];
    const open: { condition: boolean }[] = [];
    let afterCondition = false;
    for (;;) {
      const newLine = skipSpace();
      if (at >= source.length) {
        if (inner) throw new Unreadable();
        break;
      }
      const before = tokens.at(-1);
      const expression = afterCondition ||
        expectsExpression(before, { newLine, previous: tokens.at(-2) });
      const start = at;
      const { kind, text } = readToken(expression);
      afterCondition = false;
      if (kind === "punctuator" && closes.has(text)) {
        if (inner && open.length === 0) break;
        afterCondition = open.pop()?.condition === true;
      }
      tokens.push({ kind, text, at: start, depth: open.length });
      if (kind === "punctuator" && opens.has(text)) {
        open.push({ condition: text === "(" && beforeCondition.has(before?.text ?? "") });
      }
    }
    nesting--;
    return tokens;
  }

  function readToken(expression: boolean): Pick<Token, "kind" | "text"> {
    const start = at;
    const first = source[at]!;
    if (!neverInWords.has(first)) {
      const name = take(plainWord) ?? take(word);
      if (name !== undefined) return { kind: "word", text: name };
      const digits = take(number);
      if (digits !== undefined) return { kind: "number", text: digits };
    }
    if (first === '"' || first === "'") return { kind: "string", text: take(string)! };
    if (first === "`") {
      readTemplate();
      return { kind: "template", text: source.slice(start, at) };
    }
    if (expression && failedAttempts < maxFailedAttempts) {
      const literal = first === "/" ? take(regex) : undefined;
      if (literal !== undefined) return { kind: "regex", text: literal };
      if (first === "/") failedAttempts++;
      if (options.jsx && first === "<" && tryElement()) {
        return { kind: "jsx", text: source.slice(start, at) };
      }
    }
    return { kind: "punctuator", text: take(punctuator) ?? "" };
  }

  /** Skips whitespace and comments; returns true when they contain a line break. */
  function skipSpace(): boolean {
    const start = at;
    for (;;) {
      if (matches(space)) at = space.lastIndex;
      const end = source[at] !== "/"
        ? undefined
        : source[at + 1] === "/"
        ? source.indexOf("\n", at)
        : source[at + 1] === "*"
        ? source.indexOf("*/", at + 2)
        : undefined;
      if (end === undefined) return at > start && source.slice(start, at).includes("\n");
      at = end === -1 ? source.length : source[end] === "\n" ? end : end + 2;
    }
  }

  function readTemplate(): void {
    for (at++; source[at] !== "`"; at++) {
      if (at >= source.length) throw new Unreadable();
      if (source[at] === "\\") at++;
      else if (source.startsWith("${", at)) {
        at += 2;
        readTokens(true);
        at--;
      }
    }
    at++;
  }

  /** Reads an element; leaves `at` unchanged when the text does not contain one. */
  function tryElement(): boolean {
    if (!matches(elementStart) || matches(typeParameters)) return false;
    const start = at;
    const nestingBefore = nesting;
    try {
      readElement();
      return true;
    } catch (error) {
      if (!(error instanceof Unreadable) || nestingBefore > 1) throw error;
      failedAttempts++;
      nesting = nestingBefore;
      at = start;
      return false;
    }
  }

  function readElement(): void {
    let open = 0;
    do {
      if (source.startsWith("</", at)) {
        at = indexAfter(">");
        open--;
      } else if (source[at] === "<") {
        if (!readTag()) open++;
      } else if (source[at] === "{") {
        at++;
        readTokens(true);
      } else if (++at >= source.length) throw new Unreadable();
    } while (open > 0);
  }

  /** Reads an opening tag; returns true when it closes itself. */
  function readTag(): boolean {
    at++;
    take(tagName);
    if (source[at] === "<") skipTypeArguments();
    for (;;) {
      skipSpace();
      if (source.startsWith("/>", at)) {
        at += 2;
        return true;
      }
      const character = source[at];
      if (character === undefined) throw new Unreadable();
      if (character === '"' || character === "'") {
        at++;
        at = indexAfter(character);
        continue;
      }
      at++;
      if (character === ">") return false;
      if (character === "{") readTokens(true);
      else if (character === "<") {
        at--;
        readElement();
      }
    }
  }

  function skipTypeArguments(): void {
    let open = 0;
    do {
      if (source[at] === "<") open++;
      else if (source[at] === ">") open--;
      if (++at >= source.length) throw new Unreadable();
    } while (open > 0);
  }

  function indexAfter(text: string): number {
    const index = source.indexOf(text, at);
    if (index === -1) throw new Unreadable();
    return index + text.length;
  }

  try {
    return readTokens(false);
  } catch (error) {
    // A template without an end is an error that the build explains.
    if (error instanceof Unreadable || error instanceof RangeError) return null;
    throw error;
  }
}

function expectsExpression(
  before: Token | undefined,
  { newLine, previous }: { newLine: boolean; previous: Token | undefined },
): boolean {
  if (before === undefined) return true;
  if (before.kind === "word") return beforeExpression.has(before.text) && previous?.text !== ".";
  if (before.kind !== "punctuator") return false;
  if (before.text === "}") return newLine;
  // `value! / 2`: an exclamation mark directly after a value belongs to it.
  if (before.text === "!" && previous !== undefined) {
    const touches = previous.at + previous.text.length === before.at;
    if (touches && (previous.kind === "word" || previous.text === ")" || previous.text === "]")) {
      return false;
    }
  }
  return !afterValue.has(before.text);
}
