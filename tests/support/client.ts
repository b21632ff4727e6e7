/** A visitor without a browser: keeps cookies, sends its origin, follows nothing by itself. */
export interface Client {
  readonly cookies: Map<string, string>;
  /** Requests a path of the application. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a form, as the application's own page would. */
  post(path: string, fields: Record<string, string>, headers?: HeadersInit): Promise<Response>;
}

/** Makes a visitor of the application at `origin`. */
export function createClient(origin: string): Client {
  const cookies = new Map<string, string>();
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0 && !headers.has("cookie")) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const response = await fetch(new URL(path, origin), { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name === undefined || value === undefined) continue;
      if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }
  return {
    cookies,
    fetch: send,
    post(path, fields, headers = {}): Promise<Response> {
      const all = new Headers(headers);
      if (!all.has("origin")) all.set("origin", origin);
      if (!all.has("accept")) all.set("accept", "text/html");
      return send(path, { method: "POST", headers: all, body: new URLSearchParams(fields) });
    },
  };
}
