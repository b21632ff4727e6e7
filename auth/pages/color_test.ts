import assert from "node:assert/strict";
import fc from "fast-check";
import { inMatrix } from "../../tests/support/matrix.ts";
import type { HexColor } from "../core/contracts.ts";
import {
  contrast,
  luminance,
  mix,
  neutralsOf,
  onColor,
  parseHex,
  type Scheme,
  schemeOf,
} from "./color.ts";
import { PAGE_STYLE } from "./style_text.ts";
import { DARK, LIGHT } from "./theme.ts";

const hex = fc.integer({ min: 0, max: 0xffffff })
  .map((number): HexColor => `#${number.toString(16).padStart(6, "0")}`);

Deno.test("contrast() is that of WCAG", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
  assert.equal(luminance("#ff0000").toFixed(4), "0.2126");
  assert.deepEqual(parseHex("#0a7"), [0, 170, 119]);
  for (const text of ["0a7", "#0a77", "#0a7777ff", "red", "#00000g", "#000000\n"]) {
    assert.equal(parseHex(text), null, text);
  }
});

/** Every place of a brand colour on the pages, of which WCAG says how well it must be seen. */
function assertReadable(scheme: Scheme): void {
  const { fill, hover, on, link, bad, good, quiet, edge, text, card, ground, soft } = scheme;
  const pairs: [name: string, a: HexColor, b: HexColor, least: number][] = [
    ["label", on, fill, 4.58],
    ["label, hovered", on, hover, 4.58],
    ["link on the face", link, mix(card, fill, 0.12), 4.5],
    ["field", edge, card, 3],
    ...[card, ground].map((one): [string, HexColor, HexColor, number] => ["text", text, one, 7]),
    ...[card, ground, soft].flatMap((one): [string, HexColor, HexColor, number][] => [
      ["link", link, one, 4.5],
      ["quiet", quiet, one, 4.5],
    ]),
    ...[bad, good, quiet].flatMap((one): [string, HexColor, HexColor, number][] => [
      ["sentence", one, card, 4.5],
      ["note", one, mix(card, one, 0.09), 4.5],
    ]),
  ];
  for (const [name, a, b, least] of pairs) {
    const measured = contrast(a, b);
    assert.ok(
      measured >= least,
      `${name}: ${a} on ${b} has ${measured}, of ${JSON.stringify(scheme)}`,
    );
  }
}

const BRANDS = inMatrix ? 10_000 : 2000;

Deno.test(`of ${BRANDS} brand colours each is readable as label, text, border and focus ring, light and dark`, () => {
  fc.assert(
    fc.property(hex, hex, (brand, bad) => {
      assert.ok(contrast(onColor(brand), brand) >= 4.58);
      assertReadable(schemeOf({ ...LIGHT.accents, brand, bad }, LIGHT.neutrals, false));
      assertReadable(schemeOf({ ...DARK.accents, brand, bad }, DARK.neutrals, true));
    }),
    {
      numRuns: BRANDS,
      examples: [["#000000", "#000000"], ["#ffffff", "#ffffff"], ["#777777", "#777777"]],
    },
  );
});

Deno.test("cards, grounds and texts of an application's own keep every colour on them readable", () => {
  fc.assert(
    fc.property(hex, hex, hex, hex, (brand, card, ground, text) => {
      fc.pre(contrast(text, card) >= 7 && contrast(text, ground) >= 7);
      const isDark = luminance(card) < 0.2;
      const neutrals = neutralsOf({ card, ground, text }, isDark);
      assertReadable(schemeOf({ ...LIGHT.accents, brand }, neutrals, isDark));
    }),
    { numRuns: 500, examples: [["#c51b49", "#28b64a", "#20a79e", "#000015"]] },
  );
});

Deno.test("the stylesheet's own colours are those that are made of the library's", () => {
  const light = schemeOf(LIGHT.accents, LIGHT.neutrals, false);
  const dark = schemeOf(DARK.accents, DARK.neutrals, true);
  for (const name of Object.keys(light) as (keyof typeof light)[]) {
    const [, said] = new RegExp(`--${name}: ?([^;}]*)`).exec(PAGE_STYLE.text)!;
    const [first, second = first] = said!.replace(/^light-dark\((.*)\)$/, "$1").split(/, ?/);
    const long = (text: string) => text.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
    assert.deepEqual([long(first!), long(second!)], [light[name], dark[name]], name);
  }
});
