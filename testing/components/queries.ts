import type { RenderedElement } from "./dom.ts";

/** Matcher for a text: the full text, a regular expression for a part of it, or a function. */
export type Matcher =
  | string
  | number
  | RegExp
  | ((content: string, element: RenderedElement | null) => boolean);

/** Options for matching a text. */
export interface MatchOptions {
  /** Matches the full text, case-sensitively. Default: true. */
  exact?: boolean;
  /** Normalizes the text before it is matched. Default: trims it and collapses whitespace. */
  normalizer?: (text: string) => string;
}

/** Options for selecting elements. */
export interface SelectorOptions extends MatchOptions {
  /** CSS selector that an element must also match. Default: `*`. */
  selector?: string;
}

/** Options for finding an element by its text. */
export interface TextOptions extends SelectorOptions {
  /** CSS selector of elements to ignore. Default: `script, style`. */
  ignore?: string | boolean;
}

/** Further conditions on an element of a role. */
export interface RoleOptions {
  /** Its accessible name: what a screen reader calls it. */
  name?: Matcher;
  /** Its accessible description. */
  description?: Matcher;
  /** Includes inaccessible elements. Default: false. */
  hidden?: boolean;
  /** Level of a heading: 1 for `<h1>`, or `aria-level`. */
  level?: number;
  /** Selected state of an option, a row or a tab: `aria-selected`, or the element's own state. */
  selected?: boolean;
  /** Checked state of a checkbox, radio button or switch: `aria-checked`, or `checked`. */
  checked?: boolean;
  /** Pressed state of a button: `aria-pressed`. */
  pressed?: boolean;
  /** Expanded state of what the element opens: `aria-expanded`. */
  expanded?: boolean;
  /** Busy state: `aria-busy`. */
  busy?: boolean;
  /** Current item of a set, such as "page": `aria-current`. */
  current?: boolean | string;
  /** Value of a slider or a meter: `aria-valuenow`, `-min`, `-max` and `-text`. */
  value?: { now?: number; min?: number; max?: number; text?: Matcher };
  /** Includes the fallback roles of an attribute `role`. Default: false. */
  queryFallbacks?: boolean;
}

/**
 * Variants of one query: `getBy` and `getAllBy` throw without a match, `queryBy` returns null,
 * `queryAllBy` an empty list.
 */
export type QueryForms<Name extends string, Options> =
  & {
    /** The one element; throws when there is none or more than one. */
    [K in `getBy${Name}`]: (match: Matcher, options?: Options) => RenderedElement;
  }
  & {
    /** All elements; throws when there is none. */
    [K in `getAllBy${Name}`]: (match: Matcher, options?: Options) => RenderedElement[];
  }
  & {
    /** The one element, or null; throws when there is more than one. */
    [K in `queryBy${Name}`]: (match: Matcher, options?: Options) => RenderedElement | null;
  }
  & {
    /** All elements. */
    [K in `queryAllBy${Name}`]: (match: Matcher, options?: Options) => RenderedElement[];
  };

/** Queries of Testing Library, with its rules: https://testing-library.com/docs/queries/about */
export type Queries =
  & QueryForms<"Role", RoleOptions>
  & QueryForms<"LabelText", SelectorOptions>
  & QueryForms<"PlaceholderText", MatchOptions>
  & QueryForms<"Text", TextOptions>
  & QueryForms<"DisplayValue", MatchOptions>
  & QueryForms<"AltText", MatchOptions>
  & QueryForms<"Title", MatchOptions>
  & QueryForms<"TestId", MatchOptions>;
