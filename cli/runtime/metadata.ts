import { escapeHtml, metaElement } from "./document.ts";
import type { ManifestModule } from "./manifest.ts";

/**
 * Title of a layout for the pages below it. `%s` in `template` is the title of the page, or of the
 * layout between; `default` is the title of pages without one.
 */
export interface TitleTemplate {
  /** Such as `"%s · Acme"`. */
  template: string;
  /** Title of pages without a title. */
  default: string;
}

/** Icon of a page: `<link rel="icon">`. */
export interface Icon {
  /** Address, such as an imported image. */
  href: string;
  /** Default: `icon`; `apple-touch-icon` is the icon of a home screen. */
  rel?: "icon" | "apple-touch-icon" | "mask-icon";
  /** Media type, such as `image/svg+xml`. */
  type?: string;
  /** Sizes in pixels, such as `32x32`, or `any`. */
  sizes?: string;
  /** Media query, such as `(prefers-color-scheme: dark)`. */
  media?: string;
}

/** Metadata for the head of a page. The page's values override those of its layouts, field by field. */
export interface Metadata {
  /**
   * Title for the window, search engines and bookmarks: `<title>`. `absolute` ignores the template
   * of the layouts.
   */
  title?: string | TitleTemplate | { absolute: string };
  /** Description for search engines: `<meta name="description">`. */
  description?: string;
  /** Rules for search engines, such as `noindex`. */
  robots?: string;
  /**
   * Address of the site, such as `https://acme.example`, to which `canonical` and the addresses of
   * `openGraph` and `twitter` are relative. Default: the origin of the request.
   */
  base?: string | URL;
  /** Canonical URL of a page that has several; a path such as `/about` is made absolute. */
  canonical?: string;
  /**
   * Open Graph properties for link previews, such as `{ title, image, type }`; each becomes
   * `og:<name>`, a list one element for each value. Addresses are made absolute.
   */
  openGraph?: Record<string, string | readonly string[]>;
  /**
   * Properties for cards of links, such as `{ card: "summary_large_image" }`; each becomes
   * `twitter:<name>`. Addresses are made absolute.
   */
  twitter?: Record<string, string>;
  /** Icons of the site: an address, or a list with sizes and types. */
  icons?: string | readonly Icon[];
  /**
   * Structured data for search engines, as an object of https://schema.org or a list of them:
   * `<script type="application/ld+json">`.
   */
  jsonLd?: object | readonly object[];
}

/** Metadata of a document: the title is complete, and all addresses are absolute. */
export interface ResolvedMetadata
  extends Omit<Metadata, "title" | "base" | "openGraph" | "twitter" | "icons" | "jsonLd"> {
  title?: string;
  /** Markup of everything else. */
  elements?: string;
}

/** Metadata with the file that declares it, for messages. */
export interface DeclaredMetadata extends Pick<ManifestModule, "file"> {
  metadata: Metadata | undefined;
}

/**
 * Merges metadata field by field.
 *
 * @param declared Outermost first; the last takes precedence.
 * @param url The request's URL.
 * @throws {TypeError} For an address that is none, naming the file.
 */
export function resolveMetadata(
  declared: readonly DeclaredMetadata[],
  url: string,
): ResolvedMetadata {
  const merged: Metadata = {};
  let title: string | undefined;
  let template: string | undefined;
  let files = "The application";
  for (const { file, metadata } of declared) {
    if (metadata === undefined || metadata === null) continue;
    Object.assign(merged, metadata);
    files = file;
    const own = metadata.title;
    if (own === undefined) continue;
    if (typeof own === "object" && "absolute" in own) title = own.absolute;
    else title = complete(typeof own === "string" ? own : own.default, template);
    if (typeof own === "object" && "template" in own) template = own.template;
  }
  const { base, canonical, openGraph = {}, twitter = {}, icons, jsonLd, ...plain } = merged;
  const absolute = (address: string): string => toAbsolute(address, base ?? url, files);
  const list = typeof icons === "string" ? [{ href: icons }] : icons ?? [];
  const data = jsonLd === undefined ? [] : Array.isArray(jsonLd) ? jsonLd : [jsonLd];
  return {
    ...plain as Omit<typeof plain, "title">,
    ...(title === undefined ? {} : { title }),
    ...(canonical === undefined ? {} : { canonical: absolute(canonical) }),
    elements: [
      ...properties("property", "og", openGraph, absolute),
      ...properties("name", "twitter", twitter, absolute),
      ...list.map(iconElement),
      ...data.map((each) => `<script type="application/ld+json">${scriptJson(each)}</script>`),
    ].join(""),
  };
}

function complete(title: string, template: string | undefined): string {
  return template === undefined ? title : template.replaceAll("%s", () => title);
}

/** Open Graph and card properties that are addresses, with the forms `image:url` and the like. */
const addresses = /^(url|image|video|audio|player)(:(url|secure_url|src))?$/;

function properties(
  kind: "name" | "property",
  prefix: string,
  values: NonNullable<Metadata["openGraph"]>,
  absolute: (address: string) => string,
): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((each) =>
      metaElement(kind, `${prefix}:${name}`, addresses.test(name) ? absolute(each) : each)
    )
  );
}

/**
 * Returns an absolute address. A link preview and a search engine read it without the page, so that
 * a path would mean nothing to them.
 */
function toAbsolute(address: string, base: string | URL, file: string): string {
  const found = URL.canParse(address, base) ? new URL(address, base) : null;
  if (found?.protocol === "https:" || found?.protocol === "http:") return found.href;
  throw new TypeError(
    `${file} exports metadata with the address ${
      JSON.stringify(address)
    }, which is no path and no URL of http or https.`,
  );
}

function iconElement({ rel = "icon", ...others }: Icon): string {
  const attributes = Object.entries({ rel, ...others });
  return `<link${
    attributes.map(([name, value]) => ` ${escapeHtml(name)}="${escapeHtml(value)}"`).join("")
  }/>`;
}

/**
 * Returns JSON for a `<script>` element, in which `</script>` and `<!--` would end or change the
 * element, and U+2028 ends a line of older parsers.
 */
function scriptJson(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
