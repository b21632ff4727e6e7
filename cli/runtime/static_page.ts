// What a build and the worker that renders its static pages say to each other.

/** Origin of the requests of a build; the one of visitors is not known yet. */
export const prerenderOrigin = "https://prerender.invalid";

/** Path that lists the pages. */
export const prerenderList = "/.framework/prerender";

/** Page that a build writes as a file. */
export interface StaticPage {
  /** Encoded path. */
  path: string;
  /** Pattern of its route. */
  pattern: string;
}

/** Pages of an application, or the reasons why a page cannot be static. */
export interface StaticPages {
  pages: StaticPage[];
  problems: string[];
}

/** A rendered page, or the reason why it cannot be static. */
export interface StaticAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
  problem: string | null;
}
