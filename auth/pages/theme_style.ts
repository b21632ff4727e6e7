import { optionsAt, wrongOption } from "../config/check.ts";

/** A colour of CSS, or one for light and one for dark. */
export type PageColor = string | { light: string; dark: string };

/** The colours of the pages. Text on what it stands on needs a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3). */
export interface PageColors {
  /** Buttons, links and the ring around what has the focus. */
  accent?: PageColor;
  /** Text on buttons, which stands on `accent`. */
  onAccent?: PageColor;
  /** What is behind the card: the whole page. */
  ground?: PageColor;
  /** The card in which forms and texts stand. */
  card?: PageColor;
  /** Text, which stands on `card`. */
  text?: PageColor;
  /** Less important text, and the borders of fields. */
  quiet?: PageColor;
  /** The sentence that says what went wrong, on `card`. */
  bad?: PageColor;
}

/** Of which rule each colour is. The first three are variables of the library's own stylesheet. */
const RULES: Record<keyof PageColors, (color: string) => string> = {
  accent: (color) => `:root{--accent:${color}}`,
  quiet: (color) => `:root{--quiet:${color}}`,
  bad: (color) => `:root{--bad:${color}}`,
  onAccent: (color) => `button{color:${color}}`,
  ground: (color) => `body{background:${color}}`,
  card: (color) => `main{background:${color}}`,
  text: (color) => `main{color:${color}}`,
};

/** Nothing that could end a declaration, or the stylesheet, or load anything. */
function readColor(value: unknown, field: string): string {
  if (typeof value === "string" && /^(?!.*url\()[#a-z0-9(),.%\s/+-]{1,100}$/i.test(value)) {
    return value;
  }
  throw wrongOption(
    field,
    value,
    'a colour of CSS such as "#0a7" or { light: "#0a7", dark: "#4fc" }',
  );
}

/** Checks the colours and makes a stylesheet of them. */
export function themeStyle(value: unknown): string {
  const colors = optionsAt(value, "pageTheme.colors", Object.keys(RULES));
  let style = "";
  for (const [name, color] of Object.entries(colors)) {
    if (color === undefined) continue;
    const field = `pageTheme.colors.${name}`;
    if (typeof color === "object" && color !== null) {
      const { light, dark } = color as { light?: unknown; dark?: unknown };
      const pair = `light-dark(${readColor(light, `${field}.light`)},${
        readColor(dark, `${field}.dark`)
      })`;
      style += RULES[name as keyof PageColors](pair);
    } else style += RULES[name as keyof PageColors](readColor(color, field));
  }
  return style;
}
