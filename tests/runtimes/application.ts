import {
  accountEndpoints,
  type Auth,
  type AuthOptions,
  createAuth,
  credentials,
  defaultTheme,
  type Provider,
  sealedTokens,
} from "@framework/auth";
import type { World } from "./behaviour.ts";

/** The origin of the applications under test. */
export const ORIGIN = "https://app.example";

/** An application under test, with a clock of its own. */
export interface Application {
  auth: Auth<unknown>;
  clock: { now: number };
  log: { event: string; fields: Record<string, unknown> }[];
  /** Sends to a path of the application, as its own page would. */
  send(path: string, init?: SendInit): Promise<Response>;
  /** Runs `next` as the application's own work. */
  visit(next: Parameters<Auth<unknown>["run"]>[3], init?: SendInit): Promise<Response>;
  /** Signs a user in and returns the Cookie header of the session alone. */
  signIn(name?: string): Promise<string>;
}

/** Options for {@linkcode Application.send}. */
export interface SendInit {
  method?: string;
  fields?: Record<string, string>;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  cookie?: string;
}

/** A provider that knows everyone by a name of their own, whose password is "right". */
export function passwordProvider(): Provider {
  return credentials({
    credentials: {
      name: { label: "Name", type: "text", required: true },
      password: { label: "Password", type: "password", required: true },
    },
    authorize: ({ name, password }) =>
      Promise.resolve(password === "right" ? { id: name!, name: name! } : null),
  });
}

/** The Cookie header that a browser sends after this response. */
export function cookieOf(response: Response): string {
  return cookiesOf(response.headers.getSetCookie());
}

function cookiesOf(lines: string[]): string {
  return lines.map((line) => line.split(";")[0]).join("; ");
}

/** The Set-Cookie lines of a response that are about the session, not about the browser. */
export function sessionLines(response: Response): string[] {
  return response.headers.getSetCookie().filter((line) => !/framework\.(?:known|last)=/.test(line));
}

/** Makes a request as the application's own page sends it. */
export function ownRequest(path: string, init: SendInit = {}): Request {
  const { fields, json, cookie } = init;
  const posts = fields !== undefined || json !== undefined || init.body !== undefined;
  const method = init.method ?? (posts ? "POST" : "GET");
  const headers = new Headers(method === "GET" || method === "HEAD" ? {} : { origin: ORIGIN });
  if (fields !== undefined) headers.set("content-type", "application/x-www-form-urlencoded");
  if (json !== undefined) headers.set("content-type", "application/json");
  if (cookie !== undefined) headers.set("cookie", cookie);
  for (const [name, value] of Object.entries(init.headers ?? {})) {
    if (value === "") headers.delete(name);
    else headers.set(name, value);
  }
  const body = init.body ??
    (fields === undefined ? JSON.stringify(json) : new URLSearchParams(fields).toString());
  return new Request(ORIGIN + path, { method, headers, ...(posts && { body }) });
}

/** Makes an application over an empty database. */
export async function createApplication(
  world: World,
  options: Partial<AuthOptions> = {},
): Promise<Application> {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const log: Application["log"] = [];
  function report(event: string, fields: Record<string, unknown>): void {
    log.push({ event, fields });
  }
  const auth = createAuth<unknown>({
    database: await world.createDatabase(),
    baseUrl: ORIGIN,
    pages: { theme: defaultTheme },
    providerTokens: sealedTokens,
    now: () => clock.now,
    logger: { info: report, warn: report, error: report },
    ...options,
    providers: [...options.providers ?? [passwordProvider()], accountEndpoints()],
  });
  async function send(path: string, init?: SendInit): Promise<Response> {
    const response = await auth.handle(ownRequest(path, init), {});
    if (response === null) throw new Error(`Not an endpoint: ${path}`);
    return response;
  }
  return {
    auth,
    clock,
    log,
    send,
    visit: (next, init) => auth.run(ownRequest("/page", init), {}, undefined, next),
    async signIn(name = "ada") {
      const fields = { name, password: "right" };
      return cookiesOf(sessionLines(await send("/auth/signin/credentials", { fields })));
    },
  };
}
