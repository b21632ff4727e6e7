import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { errorCollector } from "../build/browser_bundle.ts";
import { assetsFolder } from "../client/assets.ts";
import { explainError, type Explanation, originalPlace } from "../emulator/source_positions.ts";

const reportPath = "/.framework/errors";

/** Characters of a report that are read. */
const longest = 16_000;

/**
 * Part of the script of every page that reports its uncaught errors, and shows them in the page: once each, and so many
 * that a loop floods nothing.
 */
export const errorClient: string = `
  const collected = ${errorCollector};
  const told = new Set();
  let leaving = false;
  function describeError(error, depth = 4) {
    if (!(error instanceof Error)) return "Thrown: " + textOf(error);
    const head = error.name + ": " + error.message;
    const stack = error.stack ?? "";
    const own = stack.startsWith(head) ? stack : head + "\\n" + stack;
    if (depth === 0) return own;
    const inner = error instanceof AggregateError ? error.errors : [];
    const parts = inner.map((each) => "One of its errors: " + describeError(each, depth - 1));
    if (error.cause !== undefined) parts.push("Caused by: " + describeError(error.cause, depth - 1));
    return [own, ...parts].join("\\n");
  }
  function textOf(thrown) {
    try {
      return typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown);
    } catch {
      return Object.prototype.toString.call(thrown);
    }
  }
  function show(text, all) {
    let panel = document.getElementById("framework-browser-error");
    if (panel === null) {
      panel = document.createElement("details");
      panel.id = "framework-browser-error";
      panel.open = true;
      panel.style.cssText = "position:fixed;z-index:2147483647;inset:auto 0 0 0;max-height:60vh;" +
        "overflow:auto;background:#1b1b1f;color:#f3f3f3;border-top:4px solid #d33;" +
        "padding:0.75rem 1rem;font:14px/1.5 system-ui,sans-serif";
      const summary = document.createElement("summary");
      summary.textContent = "An error in the browser";
      panel.append(summary);
      document.documentElement.append(panel);
    }
    panel.append(block(text));
    if (all === text) return;
    const more = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = "The whole stack";
    more.append(summary, block(all));
    panel.append(more);
  }
  function block(text) {
    const pre = document.createElement("pre");
    pre.style.cssText = "white-space:pre-wrap;font:13px/1.5 ui-monospace,monospace;margin:0.5rem 0";
    pre.textContent = text;
    return pre;
  }
  async function tell(event) {
    // Requests that end with the page reject, and nobody sees the page any more.
    if (leaving || event.message?.startsWith("ResizeObserver loop")) return;
    const isRejection = "reason" in event;
    const error = isRejection ? event.reason : event.error ?? event.message;
    let text = describeError(error);
    if (!isRejection && !(error instanceof Error)) {
      text += "\\n    at " + event.filename + ":" + event.lineno + ":" + event.colno;
    }
    if (isRejection) text = "Unhandled rejection. " + text;
    if (told.has(text) || told.size >= 20) return;
    told.add(text);
    try {
      const body = JSON.stringify({ text: text.slice(0, ${longest}), page: location.pathname });
      const answer = await fetch(${JSON.stringify(reportPath)}, { method: "POST", body });
      if (!answer.ok) throw new Error(answer.status);
      const explained = await answer.json();
      show(explained.text, explained.all);
    } catch {
      show(text, text);
    }
  }
  addEventListener("pagehide", () => leaving = true);
  addEventListener("pageshow", () => leaving = false);
  for (const event of collected) void tell(event);
  collected.push = tell;
`;

/** An error of the worker or of a browser in the terms of the application's files. */
export interface ErrorText {
  /** The line that failed, and the application's own lines of the stack. */
  text: string;
  /** The same with the whole stack. */
  all: string;
}

/** Options for {@linkcode createBrowserErrors}. */
export interface BrowserErrorsOptions {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the folder of built scripts and stylesheets. */
  assets: string;
  /** Makes text of what was found. */
  describe(explanation: Explanation): ErrorText;
  /** Hears of each error with the path of its page. */
  report(error: Explanation, page: string): void;
}

/**
 * Takes the reports of open pages, and answers them with what they show.
 *
 * @returns A function that answers the requests of its own path; false for all others.
 */
export function createBrowserErrors(
  { root, assets, describe, report }: BrowserErrorsOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (request, response) => {
    if (request.url !== reportPath || request.method !== "POST") return false;
    function send(status: number, body: unknown): true {
      response.writeHead(status, {
        "content-type": "application/json",
        "cache-control": "no-store",
        // What was not read is not waited for.
        ...(request.readableEnded ? {} : { connection: "close" }),
      });
      response.end(JSON.stringify(body));
      return true;
    }
    if (!isOwnPage(request)) {
      return send(403, { error: "Only this application's own pages report." });
    }
    if (Number(request.headers["content-length"] ?? Infinity) > 8 * longest) {
      return send(413, { error: "The report is too long." });
    }
    const said = readReport(new TextDecoder().decode(await buffer(request)));
    if (said === null) return send(400, { error: "The report has no text." });
    const places = mapPlaces(said.text, { root, assets });
    const explanation = explainError(places, root);
    report(explanation, said.page);
    return send(200, describe(explanation));
  };
}

/** A page of another site must not write into the terminal. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin = "" } = headers;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}

function readReport(body: string): { text: string; page: string } | null {
  try {
    const { text, page } = JSON.parse(body) as { text: unknown; page: unknown };
    if (typeof text !== "string" || typeof page !== "string") return null;
    return { text, page: page.slice(0, 200) };
  } catch {
    return null;
  }
}

/**
 * Replaces places in built scripts by places in the application's files, in stacks of any browser.
 *
 * @param text The stack, as the browser made it.
 * @param folders Folder of the project, and of built scripts and stylesheets.
 */
export function mapPlaces(
  text: string,
  { root, assets }: { root: string; assets: string },
): string {
  const known = new Map<string, SourceMap | null>();
  return text
    // Firefox and Safari write `name@address`.
    .replace(
      /^([^\s@]*)@(https?:\/\/\S+)$/gm,
      (_, name: string, place: string) =>
        name === "" ? `    at ${place}` : `    at ${name} (${place})`,
    )
    .replace(
      /https?:\/\/[^\s/()]+(\/[^\s():]*):(\d+):(\d+)/g,
      (_, path: string, line: string, column: string) => {
        const [file = ""] = path.split("?", 1);
        const name = file.startsWith(`${assetsFolder}/`) ? file.slice(assetsFolder.length + 1) : "";
        // A name of a build's own making: nothing in it leads out of the folder.
        const map = /^[\w-]+(?:\.[\w-]+)+$/.test(name) ? read(`${name}.map`) : null;
        const place = map === null
          ? undefined
          : originalPlace(map, { line: Number(line), column: Number(column) }, {
            map: dirname(join(assets, assetsFolder, name)),
            root,
          });
        return place ?? `${file.replace(/^\/(?=\.framework\/)/, "")}:${line}:${column}`;
      },
    );

  function read(name: string): SourceMap | null {
    let map = known.get(name);
    if (map !== undefined) return map;
    const file = join(assets, assetsFolder, name);
    map = existsSync(file)
      ? new SourceMap(JSON.parse(readFileSync(file, "utf8")) as SourceMapPayload)
      : null;
    known.set(name, map);
    return map;
  }
}
