/**
 * Sources that a page or layout adds to the Content-Security-Policy: the type of the export `csp`.
 * The default policy stays; layouts and page add up.
 */
export interface ContentSources {
  /** Requests of scripts: `fetch`, `WebSocket`, `EventSource`, `sendBeacon` (`connect-src`). */
  connect?: readonly string[];
  /** Fonts (`font-src`). */
  font?: readonly string[];
  /** Targets of forms (`form-action`). */
  form?: readonly string[];
  /** Pages in frames of this one (`frame-src`). */
  frame?: readonly string[];
  /** Pages that may show this one in a frame (`frame-ancestors`); by default none may. */
  frameAncestors?: readonly string[];
  /** Images (`img-src`). */
  img?: readonly string[];
  /** Audio and video (`media-src`). */
  media?: readonly string[];
  /** Scripts (`script-src`). */
  script?: readonly string[];
  /** Stylesheets (`style-src`). */
  style?: readonly string[];
  /** Workers (`worker-src`). */
  worker?: readonly string[];
}

/** Directive of each key. */
const directives: Record<keyof ContentSources, string> = {
  connect: "connect-src",
  font: "font-src",
  form: "form-action",
  frame: "frame-src",
  frameAncestors: "frame-ancestors",
  img: "img-src",
  media: "media-src",
  script: "script-src",
  style: "style-src",
  worker: "worker-src",
};

/** Origin with an optional path; without characters that would begin another source or directive. */
const address =
  /^(https?|wss?):\/\/(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:(\d{1,5}|\*))?(\/[\w.~!$&()*+=:@%/-]*)?$/i;
const ipv6 = /^(https?|wss?):\/\/\[[0-9a-f:.]+\](:(\d{1,5}|\*))?$/i;
const scheme = /^(https|wss|data|blob):$/;
const hash = /^'sha(256|384|512)-[A-Za-z0-9+/]+={0,2}'$/;

/**
 * Describes what is wrong with an export `csp`, as the end of a sentence that begins with the
 * file's name; null when it is valid.
 */
export function wrongSources(sources: unknown): string | null {
  if (typeof sources !== "object" || sources === null || Array.isArray(sources)) {
    return "exports csp, which is neither an object of directives and sources nor a function";
  }
  for (const [key, list] of Object.entries(sources)) {
    if (!Object.hasOwn(directives, key)) {
      return `exports csp with ${JSON.stringify(key)}, which is not one of ${
        Object.keys(directives).join(", ")
      }`;
    }
    if (list === undefined) continue;
    if (!Array.isArray(list)) return `exports csp with ${key}, which is not a list of sources`;
    for (const source of list) {
      const reason = wrongSource(key as keyof ContentSources, source);
      if (reason === null) continue;
      return `exports csp with the source ${JSON.stringify(source)} for ${key}: ${reason}`;
    }
  }
  return null;
}

function wrongSource(key: keyof ContentSources, source: unknown): string | null {
  if (typeof source !== "string") return "a source is a text";
  if (address.test(source) || ipv6.test(source)) return null;
  if (scheme.test(source)) {
    // data: and https: would admit the scripts of everybody, injected ones included.
    return key === "script" || (key === "worker" && source !== "blob:")
      ? "name the hosts, because a scheme allows the scripts of every site"
      : null;
  }
  if (key === "script" && (hash.test(source) || source === "'wasm-unsafe-eval'")) return null;
  if (key === "frameAncestors" && source === "'self'") return null;
  if (/^'unsafe-/i.test(source)) {
    return "it would allow injected code, which the policy prevents; `export const headers` can replace the whole policy";
  }
  return 'write an origin with its scheme, such as "https://api.example"';
}

/** Sources that pages and layouts add, by directive. */
export type AddedSources = Map<string, Set<string>>;

/**
 * Adds the sources of one page or layout.
 *
 * @param added What the layouts around it have added.
 * @param file Name for messages.
 * @throws {TypeError} For a source that is none, naming the file.
 */
export function addSources(added: AddedSources, sources: unknown, file: string): void {
  const wrong = wrongSources(sources);
  if (wrong !== null) throw new TypeError(`${file} ${wrong}.`);
  for (const [key, list] of Object.entries(sources as ContentSources)) {
    const directive = directives[key as keyof ContentSources];
    const known = added.get(directive) ?? new Set();
    added.set(directive, known);
    for (const source of list ?? []) known.add(source);
  }
}

/**
 * Returns a policy with the added sources.
 *
 * @param policy The default policy, by directive.
 */
export function withSources(policy: ReadonlyMap<string, string>, added: AddedSources): string {
  const whole = new Map(policy);
  for (const [directive, sources] of added) {
    if (sources.size === 0) continue;
    // A directive of its own no longer takes the sources of default-src.
    const before = whole.get(directive) ?? whole.get("default-src") ?? "'self'";
    const kept = before === "'none'" ? [] : [before];
    whole.set(directive, [...kept, ...sources].join(" "));
  }
  return [...whole].map(([directive, sources]) => `${directive} ${sources}`).join("; ");
}
