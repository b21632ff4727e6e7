/** A part of a source text. A template or a JSX element is one token, with all that is inside. */
export interface Token {
  kind: "word" | "number" | "string" | "template" | "regex" | "jsx" | "punctuator";
  text: string;
  /** Offset in the source. */
  at: number;
  /** How many brackets are open around it; a bracket itself stands outside. */
  depth: number;
}

/** Nesting of templates and JSX beyond this is refused, so that a hostile file cannot exhaust the stack. */
const maxNesting = 200;
/** Each failed attempt to read `/` as a regular expression or `<` as JSX may have run far ahead. */
const maxFailedAttempts = 20;

const space = /\s+/y;
const word = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /\d[\w.]*/y;
const string = /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/y;
const regex = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const punctuator = /=>|\+\+|--|\.\.\.|[^]/y;
const elementStart = /<(?:>|[\p{ID_Start}$_])/uy;
/** `<T,>(…)` and `<T extends …>(…)` begin a function. */
const typeParameters = /<\s*(?:const\s+)?[\w$]+\s*(?:,|extends\s+[^=/>])/y;
const tagName = /[\p{ID_Continue}$:.-]+/uy;
/** After these words comes an expression, so that `/` begins a regular expression and `<` an element. */
const beforeExpression = new Set(
  "return typeof case do else in instanceof new void delete throw await yield default of extends"
    .split(" "),
);
const beforeCondition = new Set(["if", "while", "for", "with"]);

/** Thrown inside, never out: the text cannot be read. */
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

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  }

  function take(pattern: RegExp): string | undefined {
    const text = match(pattern);
    if (text !== undefined) at += text.length;
    return text;
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
      const token = readToken(expression);
      afterCondition = false;
      if (/^[)\]}]$/.test(token.text) && token.kind === "punctuator") {
        if (inner && open.length === 0) break;
        afterCondition = open.pop()?.condition === true;
      }
      tokens.push({ ...token, at: start, depth: open.length });
      if (/^[([{]$/.test(token.text) && token.kind === "punctuator") {
        open.push({ condition: token.text === "(" && beforeCondition.has(before?.text ?? "") });
      }
    }
    nesting--;
    return tokens;
  }

  function readToken(expression: boolean): Pick<Token, "kind" | "text"> {
    const start = at;
    const name = take(word);
    if (name !== undefined) return { kind: "word", text: name };
    const digits = take(number);
    if (digits !== undefined) return { kind: "number", text: digits };
    const quoted = take(string);
    if (quoted !== undefined) return { kind: "string", text: quoted };
    if (source[at] === "`") {
      readTemplate();
      return { kind: "template", text: source.slice(start, at) };
    }
    if (expression && failedAttempts < maxFailedAttempts) {
      const literal = take(regex);
      if (literal !== undefined) return { kind: "regex", text: literal };
      if (source[at] === "/") failedAttempts++;
      if (options.jsx && tryElement()) return { kind: "jsx", text: source.slice(start, at) };
    }
    return { kind: "punctuator", text: take(punctuator) ?? "" };
  }

  /** Skips white space and comments; returns whether a line ended in them. */
  function skipSpace(): boolean {
    const start = at;
    for (;;) {
      take(space);
      const end = source.startsWith("//", at)
        ? source.indexOf("\n", at)
        : source.startsWith("/*", at)
        ? source.indexOf("*/", at + 2)
        : undefined;
      if (end === undefined) return source.slice(start, at).includes("\n");
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

  /** Reads an element; in a text that turns out to hold none, `at` stays where it was. */
  function tryElement(): boolean {
    if (match(elementStart) === undefined || match(typeParameters) !== undefined) return false;
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

  /** Reads an opening tag; returns whether it closes itself. */
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
    // A template without an end is a mistake that the build explains.
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
  // `value! / 2`: a mark right behind a value belongs to it.
  if (before.text === "!" && previous !== undefined) {
    const touches = previous.at + previous.text.length === before.at;
    if (touches && (previous.kind === "word" || /^[)\]]$/.test(previous.text))) return false;
  }
  return !/^(?:[)\]]|\+\+|--)$/.test(before.text);
}
