import type { AskedRequest, Asker } from "./asks.ts";
import type { GuardedReport } from "./options.ts";
import { type GuardedRoute, labelOf } from "./routes.ts";
import type { Answer } from "./subject.ts";

/** Something that is wrong with a route. */
export type Finding =
  & { route: GuardedRoute; asked?: { asker: Asker; request: AskedRequest; how?: string } }
  /** `problem`: the guard let somebody through; `reason`: it could not be asked. */
  & ({ problem: string; reason?: never } | { reason: string; problem?: never });

/** Findings of one route that are written out. */
const MOST = 8;

/** Describes an answer in a few words: its status, where it leads, what it says. */
export function describeAnswer({ status, headers, body, thrown }: Answer): string {
  if (thrown !== undefined) return `an error (${short(thrown)})`;
  const location = headers.get("location");
  if (location !== null) return `${status} to ${location}`;
  const isText = /json|text\/plain/.test(headers.get("content-type") ?? "");
  if (status < 400 || !isText || body === "") return String(status);
  return body.startsWith(String(status)) ? short(body) : `${status} ${short(body)}`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Writes the message of a failed assertion: each route once, with what to repeat. */
export function writeReport(
  findings: readonly Finding[],
  { routes, requests }: GuardedReport,
): string {
  const open = findings.filter(({ problem }) => problem !== undefined);
  const notAsked = findings.filter(({ reason }) => reason !== undefined);
  const count = (list: readonly Finding[]) => {
    const size = new Set(list.map(({ route }) => route)).size;
    return size === 1 ? "1 route" : `${size} routes`;
  };
  const sections: string[] = [];
  if (open.length > 0) {
    sections.push(
      `${count(open)} of ${routes} let somebody through (${requests} requests):`,
      ...byRoute(open),
      "A route for everybody belongs in `public`, one for every signed-in user in `signedIn`, and a change " +
        "that no guard needs to prevent in `ignore`.",
    );
  }
  if (notAsked.length > 0) {
    sections.push(
      `${
        count(notAsked)
      } of ${routes} could not be asked, because no request succeeded for who may:`,
      ...byRoute(notAsked),
      "Give what is missing in `params` and `inputs`, or seed it; name what no test can ask in `skip`.",
    );
  }
  return `assertGuarded(): ${sections.join("\n\n")}`;
}

function byRoute(findings: readonly Finding[]): string[] {
  const routes = [...new Set(findings.map(({ route }) => route))];
  return routes.map((route) => {
    const own = findings.filter((finding) => finding.route === route);
    const lines = own.slice(0, MOST).map(({ problem, reason, asked }) => {
      const how = asked?.how ? `, ${asked.how},` : "";
      const text = problem === undefined ? reason : `${asked?.asker.name}${how} ${problem}`;
      return `  - ${text}${asked === undefined ? "" : `\n    ${writeRequest(asked)}`}`;
    });
    if (own.length > MOST) lines.push(`  - and ${own.length - MOST} more`);
    const file = route.file === undefined ? "" : ` (${route.file})`;
    return [`${labelOf(route)}${file}`, ...lines].join("\n");
  });
}

/** Writes a request as one line: of code where a context sends it, otherwise of curl. */
export function writeRequest({ asker, request }: { asker: Asker; request: AskedRequest }): string {
  const headers = { ...(asker.isShown ? asker.headers : {}), ...request.headers };
  return asker.code === undefined
    ? writeCurl(request, headers)
    : writeCode(asker, request, headers);
}

function writeCode(
  { code, origin }: Asker,
  { method, url, body }: AskedRequest,
  headers: Record<string, string>,
): string {
  // fetch() of a context sends its own origin itself.
  const shown = Object.entries(headers).filter(([name, value]) =>
    name !== "origin" || value !== origin
  );
  const parts = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(shown.length === 0
      ? []
      : [`headers: { ${
        shown.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(", ")
      } }`]),
    ...(body === undefined ? [] : [`body: ${writeBody(body, headers["content-type"])}`]),
  ];
  const address = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  const init = parts.length === 0 ? "" : `, { ${parts.join(", ")} }`;
  return `await ${code}.fetch(${JSON.stringify(address)}${init});`;
}

function writeBody(body: NonNullable<AskedRequest["body"]>, type: string | undefined): string {
  if (typeof body === "string") {
    return type === "application/json" ? `JSON.stringify(${body})` : JSON.stringify(body);
  }
  if (body instanceof URLSearchParams) return `new URLSearchParams(${JSON.stringify(`${body}`)})`;
  return body instanceof FormData ? "form" : "blob";
}

function writeCurl(
  { method, url, body }: AskedRequest,
  headers: Record<string, string>,
): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const data = body instanceof FormData
    ? [...body].map(([name, value]) =>
      `-F ${quote(`${name}=${value instanceof File ? "@file" : value}`)}`
    )
    : body === undefined
    ? []
    : [`--data-raw ${quote(body instanceof Blob ? "@file" : String(body))}`];
  return [
    "curl -i",
    method === "HEAD" ? "-I" : method === "GET" ? "" : `-X ${method}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...data,
    quote(url),
  ].filter((part) => part !== "").join(" ");
}
