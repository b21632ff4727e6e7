import { accountEndpoints } from "../account/linked_accounts.ts";
import { createAuth } from "../app/create_auth.ts";
import type { AuthOptions } from "../app/options.ts";
import type { RequestInfo } from "../core/client_address.ts";
import { defaultTheme } from "../sign_in/pages.ts";
import type { Auth } from "../session/context_auth.ts";
import { credentials } from "../sign_in/credentials.ts";
import { createD1Double, type D1Double } from "./d1_double.ts";
import { slowOptions, watchAnswers } from "./trips.ts";

/** One line that was reported. */
export interface LogLine {
  level: string;
  event: string;
  fields: Record<string, unknown>;
}

/** An application under test: a database, a clock, and what was reported. */
export interface TestApplication {
  auth: Auth<unknown>;
  database: D1Double;
  clock: { now: number };
  log: LogLine[];
  /** Sends to an endpoint below /auth; form fields are posted from the own origin. */
  send(path: string, options?: SendOptions): Promise<Response>;
  /** Signs a user in by password "right" and returns the Cookie header. */
  signIn(name?: string): Promise<string>;
  close(): void;
}

/** Options of {@linkcode TestApplication.send}. */
export interface SendOptions {
  method?: string;
  fields?: Record<string, string>;
  json?: unknown;
  headers?: Record<string, string>;
  cookie?: string;
  info?: RequestInfo;
}

/** The origin of applications under test. */
export const ORIGIN = "https://app.example";

/** A provider that knows everyone whose password is "right", and everyone by a name of their own. */
export function passwordProvider(): ReturnType<typeof credentials> {
  return credentials({
    credentials: {
      name: { label: "Name", type: "text", required: true },
      password: { label: "Password", type: "password", required: true },
    },
    authorize: ({ name, password }) =>
      Promise.resolve(password === "right" ? { id: name!, name: name! } : null),
  });
}

/** The Cookie header that a browser sends after this response, but for what tells that it is known. */
export function cookieOf(response: Response): string {
  return sessionLines(response).map((line) => line.split(";")[0]).join("; ");
}

/** The Set-Cookie lines of a response that are about the session, not about the browser. */
export function sessionLines(response: Response): string[] {
  const ofBrowser = /framework\.(?:known|last)=/;
  return response.headers.getSetCookie().filter((line) => !ofBrowser.test(line));
}

/** Makes an application. */
export function createTestApplication(options: Partial<AuthOptions> = {}): TestApplication {
  const database = createD1Double();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const log: LogLine[] = [];
  function report(level: string) {
    return (event: string, fields: Record<string, unknown>) =>
      void log.push({ level, event, fields });
  }
  const auth = watchAnswers(createAuth({
    database,
    baseUrl: ORIGIN,
    pages: { theme: defaultTheme },
    now: () => clock.now,
    logger: { info: report("info"), warn: report("warn"), error: report("error") },
    ...slowOptions(options),
    providers: [...options.providers ?? [passwordProvider()], accountEndpoints()],
  }));

  async function send(path: string, sent: SendOptions = {}): Promise<Response> {
    const { fields, json, cookie, info = { clientAddress: "192.0.2.1" } } = sent;
    const posts = fields !== undefined || json !== undefined;
    const method = sent.method ?? (posts ? "POST" : "GET");
    const headers = new Headers(method === "GET" || method === "HEAD" ? {} : { origin: ORIGIN });
    if (fields !== undefined) headers.set("content-type", "application/x-www-form-urlencoded");
    if (json !== undefined) headers.set("content-type", "application/json");
    if (cookie !== undefined) headers.set("cookie", cookie);
    for (const [name, value] of Object.entries(sent.headers ?? {})) headers.set(name, value);
    const body = fields !== undefined
      ? new URLSearchParams(fields).toString()
      : JSON.stringify(json);
    const request = new Request(`${ORIGIN}/auth${path}`, {
      method,
      headers,
      ...(posts && { body }),
    });
    const response = await auth.handle(request, {}, info);
    if (response === null) throw new Error(`Not an endpoint: ${path}`);
    return response;
  }

  return {
    auth,
    database,
    clock,
    log,
    send,
    async signIn(name = "ada") {
      return cookieOf(await send("/signin/credentials", { fields: { name, password: "right" } }));
    },
    close: () => database.close(),
  };
}

/** Runs `next` as the application's own work for a page of the application. */
export function visit(
  { auth }: Pick<TestApplication, "auth">,
  next: Parameters<Auth<unknown>["run"]>[3],
  options: { cookie?: string; path?: string; method?: string; info?: RequestInfo } = {},
): Promise<Response> {
  const { cookie, path = "/page", method = "GET", info } = options;
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  return auth.run(new Request(`${ORIGIN}${path}`, { method, headers }), {}, info, next);
}

/**
 * Runs `next` as `visit()` does, where nobody looks at the answer. What it throws is thrown: the request would answer an
 * error of the library, and the test would go on without the rest of `next`.
 */
export async function inVisit(...given: Parameters<typeof visit>): Promise<Response> {
  const [application, next, options] = given;
  let failure: { error: unknown } | undefined;
  const response = await visit(application, async (context) => {
    try {
      return await next(context);
    } catch (error) {
      failure = { error };
      throw error;
    }
  }, options);
  if (failure !== undefined) throw failure.error;
  return response;
}
