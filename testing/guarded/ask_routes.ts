import { TestingError } from "../errors.ts";
import {
  type Ask,
  type AskedRequest,
  type Asker,
  asksOfSite,
  asksOfStranger,
  asksWithForeignId,
  isAllowed,
  isReadable,
  isRefusal,
  isSuccess,
  plainRequest,
  socketRequest,
} from "./asks.ts";
import { type Input, makeInput } from "./input.ts";
import type { GuardedOptions, GuardedReport } from "./options.ts";
import type { People } from "./people.ts";
import { describeAnswer, type Finding } from "./report.ts";
import {
  fillPattern,
  type GuardedRoute,
  matchRoutes,
  paramsOf,
  readEntry,
  type RouteMatcher,
} from "./routes.ts";
import { type Answer, ask } from "./subject.ts";

/** Tables and columns that the library writes about requests: limits, signs of life, the audit log. */
const BOOKKEEPING = [
  "*.rate_limits",
  "*.rate-limit:*",
  "RateLimitObject.*",
  "*.sessions.refreshed_at",
  "*.sessions.expires_at",
  "*.api_keys.last_used_at",
  "*.audit_entries",
  "*.audit_people",
  "*.audit_seals",
];

/** Parts of the options, read. */
interface Plan extends People {
  signedIn: RouteMatcher;
  /** Values of a dynamic part, by the pattern up to it. */
  valuesOf(name: string, upTo: string): { own: string; foreign?: string } | undefined;
  /** True for a route that a role may use. */
  isFor(route: GuardedRoute, user: Asker): boolean;
  /** Input that the test gives. */
  givenInput(route: GuardedRoute): unknown;
  send(asker: Asker, request: AskedRequest): Promise<Answer>;
}

/** Asks all routes that are not public, and returns what is wrong. */
export async function askRoutes(
  people: People,
  options: GuardedOptions,
): Promise<GuardedReport & { findings: Finding[] }> {
  const { routes } = people;
  const matcher = (name: "public" | "signedIn" | "skip") =>
    matchRoutes(name, options[name] ?? [], routes);
  const [open, skipped, signedIn] = [matcher("public"), matcher("skip"), matcher("signedIn")];
  const inputs = Object.entries(options.inputs ?? {}).map(([entry, value]) => ({
    named: matchRoutes("inputs", [entry], routes),
    value,
  }));
  const allowed = new Map(people.users.map((user) => [
    user,
    matchRoutes(`roles[${JSON.stringify(user.name)}].may`, user.may ?? [], routes),
  ]));
  const isIgnored = readIgnored([...BOOKKEEPING, ...options.ignore ?? []]);
  let requests = 0;
  const plan: Plan = {
    ...people,
    signedIn,
    isFor: (route, user) => allowed.get(user)?.has(route) ?? false,
    valuesOf: readParams(options, routes),
    givenInput: (route) => inputs.findLast(({ named }) => named.has(route))?.value,
    async send(asker, { method, url, headers, body }) {
      requests++;
      const request = new Request(url, {
        method,
        headers: { ...asker.headers, ...headers },
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      return await ask(people.application, request, isIgnored);
    },
  };
  const guarded = routes.filter((route) => !open.has(route) && !skipped.has(route));
  const findings: Finding[] = [];
  for (const route of guarded) findings.push(...await askRoute(route, plan));
  return { findings, routes: guarded.length, requests };
}

async function askRoute(route: GuardedRoute, plan: Plan): Promise<Finding[]> {
  const { owner, visitor, users } = plan;
  const params = paramsOf(route.pattern);
  const pathWith = (kind: (upTo: string) => "own" | "foreign") =>
    fillPattern(route.pattern, (name, upTo) => {
      const values = plan.valuesOf(name, upTo);
      return values && (kind(upTo) === "foreign" ? values.foreign ?? values.own : values.own);
    });
  const own = pathWith(() => "own");
  const notAsked = (reason: string, asked?: Finding["asked"]): Finding[] => [
    { route, reason, ...(asked === undefined ? {} : { asked }) },
  ];
  if ("missing" in own) return notAsked(`params has no value for "${own.missing}"`);
  let input: Input;
  try {
    input = await makeInput(route, plan.givenInput(route), plan.root);
  } catch (error) {
    return notAsked(
      `${error instanceof Error ? error.message : String(error)}; give one in inputs`,
    );
  }

  const place = { url: new URL(own.path, owner.origin), input };
  const proof = await prove(route, owner, place, plan);
  if (proof.problem !== null) return notAsked(`the owner got ${proof.problem}`, proof.asked);
  const owned = params.filter(({ name, upTo }) => plan.valuesOf(name, upTo)?.foreign !== undefined);
  const findings: Finding[] = [];
  /** Asks until somebody gets through: what the same people reach in other ways is no news. */
  async function askUntilThrough(asks: readonly Ask[]): Promise<boolean> {
    for (const one of asks) {
      const problem = await judge(one, { route, plan, ownersBody: proof.body });
      if (problem === null) continue;
      findings.push({ route, problem, asked: one });
      return true;
    }
    return false;
  }

  const isOpen = await askUntilThrough(asksOfStranger(visitor, route, place));
  // What a visitor reaches, everybody does.
  const isShared = isOpen || (plan.signedIn.has(route) && owned.length === 0);
  for (const user of isShared ? [] : users) {
    if (plan.isFor(route, user)) continue;
    await askUntilThrough(asksOfStranger(user, route, place));
  }
  await askUntilThrough(asksOfSite(owner, route, { ...place, isSocket: proof.isSocket }));
  if (owned.length === 0) return findings;

  const theirs = pathWith(() => "foreign") as { path: string };
  const exists = await prove(route, plan.other!, {
    url: new URL(theirs.path, plan.other!.origin),
    input,
  }, plan);
  if (exists.problem !== null) {
    const reason =
      `with its own ids the other user got ${exists.problem}, so that nobody was asked ` +
      "with a foreign one";
    return [...findings, { route, reason, asked: exists.asked }];
  }
  for (const { name, upTo } of owned) {
    const mixed = pathWith((at) => at === upTo ? "foreign" : "own") as { path: string };
    const url = new URL(mixed.path, owner.origin);
    const { isSocket } = proof;
    await askUntilThrough(asksWithForeignId(owner, route, { name, url, input, isSocket }));
  }
  return findings;
}

/** Asks as somebody who may, because a route that refuses everybody says nothing of its guard. */
async function prove(
  route: GuardedRoute,
  asker: Asker,
  { url, input }: { url: URL; input: Input },
  { send, signIn }: Plan,
): Promise<
  {
    problem: string | null;
    asked: { asker: Asker; request: AskedRequest };
    isSocket: boolean;
    body: string;
  }
> {
  const request = plainRequest(route.method, url, input);
  const answer = await send(asker, request);
  const isSocket = route.method === "GET" &&
    (await send(asker, socketRequest(url, input))).status === 101;
  const isProved = isSocket || isSuccess(answer, request.url, signIn);
  return {
    problem: isProved ? null : describeAnswer(answer),
    asked: { asker, request },
    isSocket,
    body: answer.body,
  };
}

/** Sends a request that must not succeed; returns what is wrong, null when nothing is. */
async function judge(
  { asker, request, rule, first }: Ask,
  { route, plan: { signIn, send }, ownersBody }: {
    route: GuardedRoute;
    plan: Plan;
    ownersBody: string;
  },
): Promise<string | null> {
  const before = first && await send(asker, first);
  // A browser sends nothing after a preflight that was not answered as it must be.
  if (rule === "preflight" && !isAllowed(before!, request)) return null;
  const answer = await send(asker, request);
  const got = describeAnswer(answer);
  const isChanged = answer.changes.length > 0;
  const changed = `changed ${answer.changes.slice(0, 3).join("; ")}`;
  if (rule === "override") {
    const names = ({ changes }: Answer) => changes.map((change) => change.split(":")[0]).join();
    const isNew = answer.status !== before!.status && answer.status !== 405 &&
      !isRefusal(answer, request.url, signIn);
    if (isChanged && names(answer) !== names(before!)) return `got ${got} and ${changed}`;
    return isNew ? `got ${got}` : null;
  }
  if (rule === "change") {
    if (isChanged) return `got ${got} and ${changed}`;
    return isReadable(answer.headers) ? `got ${got}, which a script of that site may read` : null;
  }
  if (rule === "refuse-simple") {
    if (isChanged) return `got ${got} and ${changed}`;
    return isSuccess(answer, request.url, signIn) ? `got ${got}` : null;
  }
  // There is no such method, no socket, or nothing ahead of a visit.
  const isMissing = (answer.status === 405 && request.method !== route.method) ||
    (answer.status === 426 && "upgrade" in request.headers) ||
    (answer.status === 503 && "sec-purpose" in request.headers);
  if (!isMissing && !isRefusal(answer, request.url, signIn)) {
    const limited = answer.status === 429 ? ": a limit stood before the guard" : "";
    return `got ${got}${limited}${isChanged ? ` and ${changed}` : ""}`;
  }
  if (isChanged) return `got ${answer.status}, but ${changed}`;
  return answer.body !== "" && answer.body === ownersBody
    ? `got ${answer.status}, but with what the owner gets`
    : null;
}

function readParams(
  { params = {}, other }: GuardedOptions,
  routes: readonly GuardedRoute[],
): Plan["valuesOf"] {
  const known = routes.flatMap(({ pattern }) => paramsOf(pattern));
  const values = new Map(
    Object.entries(params).map(([key, value]) => {
      const name = key.startsWith("/") ? readEntry(key).pattern : key;
      if (!known.some((one) => one.name === name || one.upTo === name)) {
        throw new TestingError(
          "UNKNOWN_ROUTE",
          `params has ${JSON.stringify(key)}, which is in no route of the application.`,
        );
      }
      if (typeof value !== "string" && other === undefined) {
        throw new TestingError(
          "OPTIONS",
          `params.${key} has a foreign value, and nobody is there to whom it belongs. Pass other.`,
        );
      }
      return [name, typeof value === "string" ? { own: value } : value];
    }),
  );
  return (name, upTo) => values.get(upTo) ?? values.get(name);
}

/** Reads names in which `*` stands for anything. */
function readIgnored(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "s");
  });
  return (name) => expressions.some((expression) => expression.test(name));
}
