import process from "node:process";
import { applicationOf } from "../context/application.ts";
import { createCookieJar } from "../context/cookies.ts";
import { type Fork, forkContext } from "../context/fork.ts";
import type { TestContext } from "../context/types.ts";
import { signIn } from "../context/with_auth.ts";
import { TestingError } from "../errors.ts";
import type { Asker } from "./asks.ts";
import type { GuardedOptions, GuardedUser } from "./options.ts";
import { type GuardedRoute, routesOfApplication, routesOfList, routesOfOpenApi } from "./routes.ts";
import type { JsonSchema } from "./sample.ts";
import { applicationOfFork, type GuardedApplication } from "./subject.ts";

/** An application with its routes, and everybody who asks it. */
export interface People {
  application: GuardedApplication;
  routes: readonly GuardedRoute[];
  visitor: Asker;
  owner: Asker;
  /** The user without rights, the other user, and the roles that the test names. */
  users: readonly Asker[];
  other: Asker | undefined;
  /** Addresses of the sign-in page; none when there is no page. */
  signIn: readonly string[];
  /** Folder of the project. */
  root: string;
}

/** Address of the sign-in page of an application that has none of its own, and which leads to its own elsewhere. */
const BUILT_IN = "/auth/signin";

/** Id of the user without rights. */
const NOBODY = "user-without-rights";

/** Copies the application of a context, and signs in a user without rights there. */
export async function openContext(
  ctx: TestContext<unknown>,
  options: GuardedOptions,
): Promise<People> {
  const base = forkContext(ctx, "assertGuarded()");
  const origin = options.origin ?? ctx.origin;
  const { config, routes, isForeign } = applicationOf(ctx)!;
  const listed = routesOfOptions(options);
  if (isForeign && (listed === null || options.user === undefined)) throw unknownRoutes();
  const named = namedUsers(options, origin, "ctx");
  const user = named.user ?? await signInNobody(base, ctx, origin);
  return {
    ...named,
    owner: named.owner ?? readUser(ctx, { name: "the owner", origin, code: "ctx", calls: "ctx" }),
    visitor: { name: "a visitor", origin, headers: { cookie: "" }, code: "ctx", isShown: true },
    users: [user, named.other, ...named.roles].filter((one) => one !== undefined),
    routes: listed ?? routesOfApplication(routes),
    root: config.root,
    signIn: options.signIn === undefined ? await findSignIn(base, origin) : [options.signIn],
    application: applicationOfFork(base),
  };
}

function unknownRoutes(): TestingError {
  return new TestingError(
    "OPTIONS",
    "assertGuarded() was given a context without app/ and needs to know its routes, and a user without rights. Pass routes " +
      'or openapi, and user: await ctx.withAuth({ userId: "eve" }).',
  );
}

async function signInNobody(
  { engine }: Fork,
  { clock }: TestContext<unknown>,
  origin: string,
): Promise<Asker | undefined> {
  if (engine.auth === null) return undefined;
  const jar = createCookieJar(clock.now);
  const settings = { userId: NOBODY, now: clock.now(), origin };
  const lines = await engine.run(() => signIn(engine.auth, engine.env, settings));
  for (const line of lines) jar.set(line, new URL(origin));
  return {
    name: "a user without rights",
    origin,
    headers: { cookie: jar.header(new URL(origin)) },
    code: `(await ctx.withAuth({ userId: "${NOBODY}" }))`,
    isShown: false,
  };
}

/** Finds the sign-in page by what the library does with a visitor, and the built-in address where that leads to it. */
async function findSignIn({ engine }: Fork, origin: string): Promise<string[]> {
  const { auth, env } = engine;
  if (auth === null) return [];
  const response = await engine.run(() =>
    auth.run(new Request(origin), env, undefined, async (context) => {
      await context.auth.requireAuth();
      return new Response();
    })
  );
  const page = targetOf(response, origin);
  if (page === null) return [];
  const builtIn = await engine.run(() => auth.handle(new Request(new URL(BUILT_IN, origin)), env));
  return builtIn !== null && targetOf(builtIn, origin) === page ? [page, BUILT_IN] : [page];
}

function targetOf({ headers }: Response, origin: string): string | null {
  const location = headers.get("location");
  return location === null ? null : new URL(location, origin).pathname;
}

/** Reads the routes and users of an application that is no test context. */
export function openGiven(application: GuardedApplication, options: GuardedOptions): People {
  const { origin = "http://localhost" } = options;
  const routes = routesOfOptions(options);
  const named = namedUsers(options, origin);
  const { owner, user } = named;
  if (routes === null || owner === undefined || user === undefined) {
    throw new TestingError(
      "OPTIONS",
      "assertGuarded() was given an application and needs to know its routes and users. Pass routes or " +
        "openapi, owner, and user: the headers of somebody who may use all routes, and of somebody who may not.",
    );
  }
  return {
    ...named,
    application,
    routes,
    owner,
    visitor: { name: "a visitor", origin, headers: {}, isShown: true },
    users: [user, named.other, ...named.roles].filter((one) => one !== undefined),
    signIn: options.signIn === undefined ? [] : [options.signIn],
    root: process.cwd(),
  };
}

function namedUsers(options: GuardedOptions, origin: string, calls?: string) {
  const read = (user: GuardedUser | undefined, name: string, code: string) =>
    user && readUser(user, { name, origin, code, ...(calls === undefined ? {} : { calls }) });
  return {
    owner: read(options.owner, "the owner", "owner"),
    user: read(options.user, "a user without rights", "user"),
    other: read(options.other, "the other user", "other"),
    roles: Object.entries(options.roles ?? {}).map(([name, { as, may = [] }]) => ({
      ...read(as, name, `roles[${JSON.stringify(name)}].as`)!,
      may,
    })),
  };
}

/** Reads who somebody is; `calls` is the context that sends the requests of those who are none. */
function readUser(
  user: GuardedUser,
  { name, origin, code, calls }: { name: string; origin: string; code: string; calls?: string },
): Asker {
  if (!isContext(user)) {
    // The context that sends it has cookies of its own.
    const headers = calls === undefined ? user : { cookie: "", ...user };
    return {
      name,
      origin,
      headers,
      isShown: true,
      ...(calls === undefined ? {} : { code: calls }),
    };
  }
  // Every cookie, whatever host it is for: who attacks chooses what to send.
  const cookie = user.cookies.all().map((one) => `${one.name}=${one.value}`).join("; ");
  return { name, origin: user.origin, headers: { cookie, ...user.headers }, code, isShown: false };
}

function isContext(user: GuardedUser): user is TestContext<unknown> {
  return typeof user["fetch"] === "function";
}

function routesOfOptions({ routes, openapi }: GuardedOptions): GuardedRoute[] | null {
  if (routes !== undefined && openapi !== undefined) {
    throw new TestingError("OPTIONS", "assertGuarded() was given routes and openapi. Pass one.");
  }
  if (routes !== undefined) return routesOfList(routes);
  return openapi === undefined ? null : routesOfOpenApi(openapi as JsonSchema);
}
