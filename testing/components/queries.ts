import type { RenderedElement } from "./dom.ts";

/** What a text is compared with: a text in full, a part by a pattern, or a function. */
export type Matcher =
  | string
  | number
  | RegExp
  | ((content: string, element: RenderedElement | null) => boolean);

/** How a text is compared. */
export interface MatchOptions {
  /** Whether a text matches in full and in its case only. Default: true. */
  exact?: boolean;
  /** Prepares the text; default: trims, and makes one space of several. */
  normalizer?: (text: string) => string;
}

/** Which elements are looked at. */
export interface SelectorOptions extends MatchOptions {
  /** CSS selector that a found element has to match. Default: `*`. */
  selector?: string;
}

/** How the text of an element is found. */
export interface TextOptions extends SelectorOptions {
  /** Elements that are left out. Default: `script, style`. */
  ignore?: string | boolean;
}

/** What an element of a role has to be besides. */
export interface RoleOptions {
  /** Its accessible name: what a screen reader calls it. */
  name?: Matcher;
  /** Its accessible description. */
  description?: Matcher;
  /** Whether inaccessible elements count too. Default: false. */
  hidden?: boolean;
  /** Level of a heading: 1 for `<h1>`, or `aria-level`. */
  level?: number;
  /**
   * Whether an option, a row or a tab is selected: `aria-selected`, or what the element itself
   * says.
   */
  selected?: boolean;
  /** Whether a checkbox, radio button or switch is on: `aria-checked`, or `checked`. */
  checked?: boolean;
  /** Whether a button is held down: `aria-pressed`. */
  pressed?: boolean;
  /** Whether what it opens is open: `aria-expanded`. */
  expanded?: boolean;
  /** Whether it is being changed: `aria-busy`. */
  busy?: boolean;
  /** Which of several it stands for, such as "page": `aria-current`. */
  current?: boolean | string;
  /** Where a slider or a meter stands: `aria-valuenow`, `-min`, `-max` and `-text`. */
  value?: { now?: number; min?: number; max?: number; text?: Matcher };
  /** Whether other roles than the first of an attribute `role` count too. Default: false. */
  queryFallbacks?: boolean;
}

/** The forms of one query: for one element or all, and with null or an exception where there is none. */
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

/** The queries of the Testing Library, by its rules: https://testing-library.com/docs/queries/about */
export type Queries =
  & QueryForms<"Role", RoleOptions>
  & QueryForms<"LabelText", SelectorOptions>
  & QueryForms<"PlaceholderText", MatchOptions>
  & QueryForms<"Text", TextOptions>
  & QueryForms<"DisplayValue", MatchOptions>
  & QueryForms<"AltText", MatchOptions>
  & QueryForms<"Title", MatchOptions>
  & QueryForms<"TestId", MatchOptions>;
