import type { Input } from "./input.ts";
import type { Answer } from "./subject.ts";
import type { GuardedRoute } from "./routes.ts";

/** Somebody who asks. */
export interface Asker {
  /** Name in messages, such as "a visitor". */
  name: string;
  /** Headers that say who it is: a cookie, or a key. */
  headers: Readonly<Record<string, string>>;
  /** Base of the paths that belong to this asker. */
  origin: string;
  /** Expression of the context that sends its requests; missing where they are shown as curl. */
  code?: string;
  /** Routes that are for this asker. Default: none. */
  may?: readonly string[];
  /** True when a request is repeated with these headers, which that context does not send itself. */
  isShown: boolean;
}

/** Rule that an answer must not break. */
export type Rule =
  /** Anything but a refusal. */
  | "refuse"
  /** The same for a request that a browser sends for another site, whose content type it may not choose. */
  | "refuse-simple"
  /** The same, after the preflight that a browser sends first. */
  | "preflight"
  /** A change, or an answer that another site's script can read. */
  | "change"
  /** An answer that is no refusal, or a change, where the same request without its override has another. */
  | "override";

/** One request. */
export interface Ask {
  asker: Asker;
  /** Difference from a plain request, such as "from another site"; empty for a plain one. */
  how: string;
  request: AskedRequest;
  rule: Rule;
  /** Request that is sent first: the preflight, or the same request without its override. */
  first?: AskedRequest;
}

/** A request that can be sent, and written down. */
export interface AskedRequest {
  method: string;
  url: string;
  /** Headers beside those of the asker. */
  headers: Record<string, string>;
  body?: NonNullable<Input["body"]>;
}

/** Site of nobody that the application knows. */
export const ATTACKER = "https://attacker.example";

const SOCKET = {
  upgrade: "websocket",
  connection: "Upgrade",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const SIMPLE_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)/;
const isSafe = (method: string) => method === "GET" || method === "HEAD";

/** Builds a plain request, as a page of the application sends it. */
export function plainRequest(
  method: string,
  url: URL,
  input: Input,
  headers: Record<string, string> = {},
): AskedRequest {
  const hasBody = !isSafe(method);
  return {
    method,
    url: url.href + input.query,
    headers: {
      ...(hasBody ? { origin: url.origin } : {}),
      ...(hasBody && input.type !== undefined ? { "content-type": input.type } : {}),
      ...headers,
    },
    ...(hasBody && input.body !== undefined ? { body: input.body } : {}),
  };
}

/** Builds the request that opens a WebSocket. */
export function socketRequest(url: URL, input: Input): AskedRequest {
  return plainRequest("GET", url, input, { ...SOCKET, origin: url.origin });
}

/** Lists the requests of somebody whom a route must refuse. */
export function asksOfStranger(
  asker: Asker,
  { method, others }: GuardedRoute,
  { url, input, how = "" }: { url: URL; input: Input; how?: string },
): Ask[] {
  const by = (text: string) => [how, text].filter((part) => part !== "").join(", ");
  const plain = (request: AskedRequest, text = ""): Ask => ({
    asker,
    how: by(text),
    request,
    rule: "refuse",
  });
  const asks = [method, ...others].map((one) =>
    plain(plainRequest(one, url, input), one === method ? "" : `by ${one}`)
  );
  if (method === "GET") {
    asks.push(
      plain(plainRequest("HEAD", url, input), "by HEAD"),
      ...["prefetch", "prefetch;prerender"].map((purpose) =>
        plain(plainRequest("GET", url, input, { "sec-purpose": purpose }), "ahead of a visit")
      ),
      plain(socketRequest(url, input), "to open a WebSocket"),
    );
  }
  if (!isSafe(method)) {
    asks.push(...overrideAsks(asker, method, { url, input, how: by("by an overridden method") }));
  }
  return asks;
}

/** Asks for a method by the ways in which some servers let a form or a client name it, with the input of that method. */
function overrideAsks(
  asker: Asker,
  method: string,
  { url, input, how }: { url: URL; input: Input; how: string },
): Ask[] {
  const carrier = method === "POST" ? "GET" : "POST";
  const asks = (named: Input, headers: Record<string, string> = {}): Ask => ({
    asker,
    how,
    rule: "override",
    request: plainRequest(carrier, url, named, headers),
    first: plainRequest(carrier, url, input),
  });
  const query = `${input.query === "" ? "?" : `${input.query}&`}_method=${method}`;
  const form = new URLSearchParams(input.body instanceof URLSearchParams ? input.body : []);
  form.set("_method", method);
  return [
    asks(input, {
      "x-http-method-override": method,
      "x-http-method": method,
      "x-method-override": method,
    }),
    asks({ ...input, query }),
    // A field of a form, which has no other type.
    ...(input.type === undefined && !(input.body instanceof Blob)
      ? [asks({ query, body: form })]
      : []),
  ];
}

/** Lists what a browser would send with the owner's cookies for a page of another site. */
export function asksOfSite(
  owner: Asker,
  { method, others }: GuardedRoute,
  { url, input, isSocket }: { url: URL; input: Input; isSocket: boolean },
): Ask[] {
  const { cookie } = owner.headers;
  if (!cookie) return [];
  const asker = { ...owner, headers: { cookie } };
  const site = (origin: string) => ({
    origin,
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
  });
  if (method === "GET") {
    const asks: Ask[] = [{
      asker,
      how: "from another site",
      rule: "change",
      request: plainRequest("GET", url, input, site(ATTACKER)),
    }];
    if (!isSocket) return asks;
    const request = plainRequest("GET", url, input, { ...SOCKET, ...site(ATTACKER) });
    return [...asks, {
      asker,
      how: "from another site, to open a WebSocket",
      rule: "refuse",
      request,
    }];
  }
  const asks: Ask[] = [];
  if (method === "POST") {
    const isSimple = input.type === undefined || SIMPLE_TYPES.test(input.type);
    const simple = isSimple ? input : { ...input, type: "text/plain" };
    for (const origin of [ATTACKER, "null"]) {
      asks.push({
        asker,
        how: origin === "null" ? "from another site that hides its origin" : "from another site",
        rule: isSimple ? "refuse" : "refuse-simple",
        request: plainRequest("POST", url, simple, site(origin)),
      });
    }
    if (!isSimple) asks.push(preflighted(asker, "POST", { url, input }));
  }
  for (const one of [method, ...others]) {
    if (one !== "POST" && !isSafe(one)) asks.push(preflighted(asker, one, { url, input }));
  }
  return asks;
}

/** A request that a browser sends for another site's script only where the server has allowed it (CORS). */
function preflighted(
  asker: Asker,
  method: string,
  { url, input }: { url: URL; input: Input },
): Ask {
  const site = { origin: ATTACKER, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
  return {
    asker,
    how: `by a script of another site, by ${method}`,
    rule: "preflight",
    request: plainRequest(method, url, input, site),
    first: {
      method: "OPTIONS",
      url: url.href + input.query,
      headers: {
        ...site,
        "access-control-request-method": method,
        ...(input.type === undefined ? {} : { "access-control-request-headers": "content-type" }),
      },
    },
  };
}

/** Lists the requests of the owner for a path that names something of somebody else. */
export function asksWithForeignId(
  owner: Asker,
  { method, others }: GuardedRoute,
  { name, url, input, isSocket }: { name: string; url: URL; input: Input; isSocket: boolean },
): Ask[] {
  const refused = (request: AskedRequest, by = ""): Ask => ({
    asker: owner,
    how: `with a foreign ${name}${by}`,
    rule: "refuse",
    request,
  });
  return [
    ...[method, ...others].map((one) =>
      refused(plainRequest(one, url, input), one === method ? "" : `, by ${one}`)
    ),
    ...(method === "GET" ? [refused(plainRequest("HEAD", url, input), ", by HEAD")] : []),
    ...(isSocket ? [refused(socketRequest(url, input), ", to open a WebSocket")] : []),
  ];
}

/** Returns true when a preflight allows the request that follows it, with cookies. */
export function isAllowed(
  { status, headers }: Answer,
  { method, headers: sent }: AskedRequest,
): boolean {
  const lists = (name: string, value: string) =>
    (headers.get(name) ?? "").toLowerCase().split(",").some((one) => one.trim() === value);
  return status >= 200 && status < 300 && isReadable(headers) &&
    (method === "POST" || lists("access-control-allow-methods", method.toLowerCase())) &&
    (sent["content-type"] === undefined || lists("access-control-allow-headers", "content-type"));
}

/** Returns true for an answer that the attacker's script may read although it was made with cookies. */
export function isReadable(headers: Headers): boolean {
  return headers.get("access-control-allow-origin") === ATTACKER &&
    headers.get("access-control-allow-credentials") === "true";
}

/** Returns true when an answer is no refusal: the owner's request did what it should. */
export function isSuccess(
  { status, thrown, headers }: Answer,
  url: string,
  signIn: readonly string[],
): boolean {
  if (thrown !== undefined) return false;
  return status === 101 || (status >= 200 && status < 300) ||
    (isRedirect(status) && !leadsTo(headers, url, signIn));
}

/** Returns true for a refusal: 401, 403, 404, or a redirect to the sign-in page. */
export function isRefusal(
  { status, thrown, headers }: Answer,
  url: string,
  signIn: readonly string[],
): boolean {
  if (thrown !== undefined) return false;
  return status === 401 || status === 403 || status === 404 ||
    (isRedirect(status) && leadsTo(headers, url, signIn));
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function leadsTo(headers: Headers, url: string, signIn: readonly string[]): boolean {
  const target = URL.parse(headers.get("location") ?? "", url);
  return target !== null && signIn.some((address) => {
    const page = new URL(address, url);
    return target.origin === page.origin && target.pathname === page.pathname;
  });
}
