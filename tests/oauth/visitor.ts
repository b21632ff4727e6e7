import type { Auth } from "@framework/auth";

interface Cookie {
  name: string;
  value: string;
  path: string;
  sameSite: string;
  line: string;
}

/** The cookies of one browser, with the rules that matter here: path, and who sends a request. */
export interface CookieJar {
  /** Takes the cookies of a response. */
  store(url: string, response: Response): void;
  /** The Cookie header; `crossSitePost` for a form that another site posts. */
  header(url: string, options?: { crossSitePost?: boolean }): string;
  /** The lines with which the cookies for a host were set, by name. */
  lines(host: string): Map<string, string>;
}

/** Makes an empty jar. */
export function createCookieJar(): CookieJar {
  const hosts = new Map<string, Map<string, Cookie>>();

  return {
    store(url, response) {
      const { host, pathname } = new URL(url);
      const cookies = hosts.get(host) ?? new Map<string, Cookie>();
      hosts.set(host, cookies);
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
        const attribute = (key: string): string | undefined =>
          new RegExp(`; *${key}=([^;]*)`, "i").exec(line)?.[1];
        const path = attribute("path") ?? pathname.replace(/\/[^/]*$/, "/");
        const gone = attribute("max-age") === "0" ||
          new Date(attribute("expires") ?? "2999-01-01").getTime() < Date.now();
        const key = `${name} ${path}`;
        const sameSite = (attribute("samesite") ?? "lax").toLowerCase();
        if (gone) cookies.delete(key);
        else cookies.set(key, { name, value, path, sameSite, line });
      }
    },
    header(url, { crossSitePost = false } = {}) {
      const { host, pathname } = new URL(url);
      return [...hosts.get(host)?.values() ?? []]
        .filter(({ path, sameSite }) =>
          (pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`)) &&
          (!crossSitePost || sameSite === "none")
        )
        .map(({ name, value }) => `${name}=${value}`).join("; ");
    },
    lines(host) {
      return new Map([...hosts.get(host)?.values() ?? []].map(({ name, line }) => [name, line]));
    },
  };
}

/** Response of a provider to the application, through the browser. */
export interface Callback {
  url: string;
  /** The fields of a form; undefined for an answer in the address. */
  form?: Record<string, string>;
}

/** Options for signing in. */
export interface VisitOptions {
  /** Person at the provider; null to cancel there. Default 'ada'. */
  as?: string | null;
  /** Fields of the form that starts it. */
  fields?: Record<string, string>;
}

function unescape(text: string): string {
  return text.replace(/&#x27;|&#39;/g, "'").replace(/&quot;|&#34;/g, '"').replace(/&amp;/g, "&");
}

/** A visitor with a browser of their own. */
export interface Visitor {
  readonly jar: CookieJar;
  /** Sends to the application. */
  send(url: string, init?: RequestInit & { crossSitePost?: boolean }): Promise<Response>;
  /** Starts and returns where the provider is. */
  start(id: string, fields?: Record<string, string>): Promise<string>;
  /** Walks through the provider's pages until it sends the visitor back. */
  walk(start: string, options?: VisitOptions): Promise<Callback>;
  /** Brings the provider's answer to the application. */
  deliver(callback: Callback, headers?: Record<string, string>): Promise<Response>;
  /** The whole way, up to the application's answer to the callback. */
  signIn(id: string, options?: VisitOptions): Promise<Response>;
  /** Runs the application's own work for this visitor. */
  run<T>(work: () => Promise<T>, auth?: Auth<unknown>): Promise<T>;
  /** Returns the signed-in user. */
  user(): Promise<
    { id: string; email?: string; emailVerified?: string | null; name?: string } | null
  >;
}

/** Returns the fields that a self-submitting form would post. */
function readAutoForm(text: string): Callback | null {
  const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
  if (action === undefined) return null;
  const inputs = [...text.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)];
  const form = Object.fromEntries(inputs.map(([, name, value]) => [name!, unescape(value!)]));
  return { url: unescape(action), form };
}

/** Makes a visitor of an application. */
export function createVisitor(auth: Auth<unknown>, origin: string): Visitor {
  const jar = createCookieJar();

  async function ask(url: string, init: RequestInit = {}): Promise<[Response, string]> {
    const headers = new Headers({ cookie: jar.header(url), accept: "text/html" });
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    jar.store(url, response);
    return [response, await response.text()];
  }

  const visitor: Visitor = {
    jar,
    async send(url, { crossSitePost = false, ...init } = {}) {
      const target = new URL(url, origin).href;
      const headers = new Headers(init.headers);
      const cookie = jar.header(target, { crossSitePost });
      if (cookie !== "" && !headers.has("cookie")) headers.set("cookie", cookie);
      if (init.method === "POST" && !headers.has("origin")) headers.set("origin", origin);
      const response = await auth.handle(new Request(target, { ...init, headers }), {});
      if (response === null) throw new Error(`No endpoint: ${target}`);
      jar.store(target, response);
      return response;
    },
    async start(id, fields = {}) {
      const body = new URLSearchParams(fields);
      const response = await visitor.send(`/auth/signin/${id}`, { method: "POST", body });
      const location = response.headers.get("location");
      if (response.status === 303 && location !== null) return location;
      throw new Error(`The start: ${response.status} ${await response.text()}`);
    },
    async walk(start, { as = "ada" } = {}) {
      let url = start;
      for (let step = 0; step < 20; step++) {
        if (new URL(url).origin === origin) return { url };
        let [response, text] = await ask(url);
        if (response.status === 200 && new URL(url).pathname.startsWith("/interaction/")) {
          const body = new URLSearchParams(as === null ? { cancel: "yes" } : { login: as });
          [response, text] = await ask(url, { method: "POST", body });
        }
        const form = readAutoForm(text);
        if (form !== null) return form;
        const location = response.headers.get("location");
        if (location === null) throw new Error(`At ${url}: ${response.status} ${text}`);
        url = new URL(location, url).href;
      }
      throw new Error(`Too many steps, last at ${url}`);
    },
    async deliver({ url, form }, headers = {}) {
      if (form === undefined) return await visitor.send(url, { headers });
      return await visitor.send(url, {
        method: "POST",
        body: new URLSearchParams(form),
        headers: { origin: "https://provider.example", "sec-fetch-site": "cross-site", ...headers },
        crossSitePost: true,
      });
    },
    async signIn(id, options = {}) {
      const start = await visitor.start(id, options.fields);
      return await visitor.deliver(await visitor.walk(start, options));
    },
    async run<T>(work: () => Promise<T>, isolate = auth) {
      const headers = { cookie: jar.header(origin) };
      let result: { value: T } | { error: unknown } | undefined;
      await isolate.run(new Request(`${origin}/page`, { headers }), {}, undefined, async () => {
        result = await work().then((value) => ({ value }), (error) => ({ error }));
        return new Response();
      });
      if ("value" in result!) return result.value;
      throw result!.error;
    },
    async user() {
      const response = await visitor.send("/auth/session");
      return (await response.json())?.user ?? null;
    },
  };
  return visitor;
}

/** The code of an error, wherever a response says it. */
export async function errorOf(response: Response): Promise<string | null> {
  const location = response.headers.get("location");
  if (location !== null) return new URL(location).searchParams.get("error");
  if (!response.headers.get("content-type")?.includes("json")) return null;
  return (await response.json()).code ?? null;
}
