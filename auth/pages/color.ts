/**
 * Colours of a theme: what is made of those that an application sets, so that every text can be read.
 *
 * @module
 */

import type { HexColor, Palette } from "../core/contracts.ts";

type Rgb = readonly [red: number, green: number, blue: number];

/** Reads a colour in hexadecimal digits, each part from 0 to 255; null for what is none, or is not opaque. */
export function parseHex(text: string): Rgb | null {
  const [, short, long] = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(text) ?? [];
  const digits = long ?? short?.replace(/./g, "$&$&");
  if (digits === undefined) return null;
  const parts = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
  return [parts[0]!, parts[1]!, parts[2]!];
}

function rgbOf(color: HexColor): Rgb {
  return parseHex(color)!;
}

function hexOf(parts: Rgb): HexColor {
  const digits = parts.map((part) => Math.round(part).toString(16).padStart(2, "0"));
  return `#${digits.join("")}`;
}

function toLinear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function fromLinear(light: number): number {
  const share = Math.min(1, Math.max(0, light));
  return 255 * (share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055);
}

/** Relative luminance (WCAG 2.2), from 0 to 1. */
export function luminance(color: HexColor): number {
  const [red, green, blue] = rgbOf(color).map(toLinear) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours (WCAG 2.2), from 1 to 21. */
export function contrast(a: HexColor, b: HexColor): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes two colours. */
export function mix(from: HexColor, to: HexColor, share: number): HexColor {
  const [start, end] = [rgbOf(from), rgbOf(to)];
  return hexOf(start.map((part, index) => part + (end[index]! - part) * share) as unknown as Rgb);
}

/** Black or white, whichever can be read better: one of them always has 4.58 to 1. */
export function onColor(fill: HexColor): HexColor {
  return contrast(fill, "#000000") >= contrast(fill, "#ffffff") ? "#000000" : "#ffffff";
}

const STEPS = 50;

/**
 * Mixes a colour towards the foreground until it has a contrast on each of its backgrounds.
 *
 * @param on The backgrounds, or what makes them of the mixed colour.
 */
function mixUntil(
  color: HexColor,
  foreground: HexColor,
  { on, contrast: wanted }: { on: (mixed: HexColor) => readonly HexColor[]; contrast: number },
): HexColor {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(color, foreground, step / STEPS);
    if (on(mixed).every((ground) => contrast(mixed, ground) >= wanted)) return mixed;
  }
  return foreground;
}

/** Lightness, and the two axes of colour, in Oklab (CSS Color 4, 9.2). */
function toOklab(color: HexColor): Rgb {
  const [red, green, blue] = rgbOf(color).map(toLinear) as unknown as Rgb;
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

function fromOklab([lightness, a, b]: Rgb): HexColor {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hexOf([
    fromLinear(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ]);
}

/** The brand on a dark card: one too dark to be seen there is turned over, so that near-black gives near-white. */
function fillInDark(brand: HexColor): HexColor {
  const [lightness, a, b] = toOklab(brand);
  if (lightness >= 0.45) return brand;
  return fromOklab([1 - 0.5 * lightness, a * 0.4, b * 0.4]);
}

/** The colours of a scheme that say nothing of themselves. */
export interface Neutrals {
  /** Background behind the card. */
  ground: HexColor;
  /** The card. */
  card: HexColor;
  /** Text, with a contrast of at least 7 to 1 on both. */
  text: HexColor;
  /** Less important text. */
  quiet: HexColor;
  /** Quiet areas on the card. */
  soft: HexColor;
  /** Lines. */
  line: HexColor;
  /** Borders of buttons. */
  rim: HexColor;
  /** Borders of fields, which need 3 to 1 (WCAG 2.2, 1.4.11). */
  edge: HexColor;
}

/** The colours of a scheme that mean something. */
export interface Accents {
  /** Buttons, links and the ring around what has the focus. */
  brand: HexColor;
  /** Sentences that say what went wrong. */
  bad: HexColor;
  /** Sentences that say what was done. */
  good: HexColor;
}

/** All colours of one scheme. */
export interface Scheme extends Palette, Neutrals, Omit<Accents, "brand"> {
  /** Buttons under the pointer: further from their text, so that its contrast grows. */
  hover: HexColor;
}

/** Makes all neutral colours of the three that are set. */
export function neutralsOf(
  { ground, card, text }: Pick<Neutrals, "ground" | "card" | "text">,
  isDark: boolean,
): Neutrals {
  const soft = mix(card, text, isDark ? 0.05 : 0.06);
  return {
    ground,
    card,
    text,
    soft,
    line: mix(card, text, 0.11),
    rim: mix(card, text, isDark ? 0.18 : 0.2),
    edge: mixUntil(mix(card, text, 0.4), text, { on: () => [card], contrast: 3 }),
    quiet: mixUntil(mix(card, text, 0.6), text, {
      on: (mixed) => [card, ground, soft, mix(card, mixed, TINT)],
      contrast: TEXT_CONTRAST,
    }),
  };
}

/** Share of a colour in the tints of it that notes and faces have, and a little more. */
const TINT = 0.125;

/** Contrast of text (WCAG 2.2, 1.4.3: 4.5), and a little more: a tint of a smaller share may be nearer to the text. */
const TEXT_CONTRAST = 4.55;

/** Makes all colours of one scheme of those that are set. */
export function schemeOf(
  { brand, bad, good }: Accents,
  neutrals: Neutrals,
  isDark: boolean,
): Scheme {
  const { card, ground, soft, text } = neutrals;
  const fill = isDark ? fillInDark(brand) : brand;
  function readable(color: HexColor, tint?: HexColor): HexColor {
    const on = (mixed: HexColor) => [card, ground, soft, mix(card, tint ?? mixed, TINT)];
    return mixUntil(color, text, { on, contrast: TEXT_CONTRAST });
  }
  const on = onColor(fill);
  return {
    ...neutrals,
    fill,
    on,
    hover: mix(fill, on === "#ffffff" ? "#000000" : "#ffffff", 0.14),
    link: readable(fill, fill),
    bad: readable(bad),
    good: readable(good),
  };
}
