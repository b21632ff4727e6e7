import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorClient } from "./browser_errors.ts";

/**
 * Source of the script on every page of the development server.
 *
 * A hidden page closes its stream: browsers allow six connections to a server, and an application that is open in
 * seven tabs would wait for ever. It asks again when it is seen.
 *
 * @param path Path of the event stream.
 */
function liveClient(path: string): string {
  return `(() => {${errorClient}
  let revision = new URL(document.currentScript.src).searchParams.get("revision");
  let source;
  function reload(seen) {
    // Once for each revision: a page that a cache keeps giving out would reload for ever.
    if (sessionStorage.getItem("framework-reloaded") === seen) return;
    sessionStorage.setItem("framework-reloaded", seen);
    location.reload();
  }
  function swapStyles() {
    for (const link of document.querySelectorAll('link[rel~="stylesheet"]')) {
      const address = new URL(link.href);
      if (address.origin !== location.origin) continue;
      address.searchParams.set("revision", revision);
      const next = link.cloneNode();
      next.href = address.href;
      next.addEventListener("load", () => link.remove());
      next.addEventListener("error", () => link.remove());
      link.after(next);
    }
  }
  function connect() {
    if (source) return;
    source = new EventSource(${JSON.stringify(path)});
    source.addEventListener("hello", ({ data }) => {
      if (data !== revision) reload(data);
    });
    source.addEventListener("reload", ({ data }) => reload(data));
    source.addEventListener("part", async ({ data }) => {
      const { revision: next, scripts, styles } = JSON.parse(data);
      revision = next;
      if (styles) swapStyles();
      // An island takes its script by the address without the query.
      const loaded = globalThis[Symbol.for("framework.islands")]?.modules;
      const own = scripts.filter((address) => loaded?.has(address));
      if (own.length === 0) return;
      told.clear();
      document.getElementById("framework-browser-error")?.remove();
      try {
        for (const address of own) await import(address + "?revision=" + next);
      } catch {
        reload(next);
      }
    });
  }
  function disconnect() {
    source?.close();
    source = undefined;
  }
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", connect);
  document.addEventListener("visibilitychange", () => document.hidden ? disconnect() : connect());
  if (!document.hidden) connect();
})();
`;
}

const eventsPath = "/.framework/events";
const scriptPath = "/.framework/live.js";

/** Update of an open page: a reload, or its stylesheets and some scripts, by address. */
export type LiveChange = "reload" | { styles: boolean; scripts: string[] };

/** Reports changes to open pages. */
export interface LiveReload {
  /** Answers requests of its own script; false for all others. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** Returns the markup to append to a page. */
  tag(): string;
  /** Notifies every connected page. */
  publish(change: LiveChange): void;
  /** Ends all event streams. */
  close(): void;
}

/**
 * Creates the event stream. Each page has the revision that it was rendered from, so that a page
 * that connects late, or after a restart of this server, notices that it is outdated.
 */
export function createLiveReload(): LiveReload {
  // Unlike a number, it differs from revisions of a previous server process.
  const start = randomBytes(6).toString("hex");
  const listeners = new Set<ServerResponse>();
  let count = 0;

  function revision(): string {
    return `${start}-${count}`;
  }

  function listen(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    response.write(`retry: 500\nevent: hello\ndata: ${revision()}\n\n`);
    listeners.add(response);
    request.on("close", () => listeners.delete(response));
    response.on("close", () => listeners.delete(response));
  }

  return {
    answer(request, response) {
      const path = request.url?.split("?", 1)[0];
      if (request.method !== "GET") return false;
      if (path === eventsPath) listen(request, response);
      else if (path === scriptPath) {
        response.writeHead(200, {
          "content-type": "text/javascript; charset=utf-8",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        });
        response.end(liveClient(eventsPath));
      } else return false;
      return true;
    },
    tag: () => `<script src="${scriptPath}?revision=${revision()}" defer></script>\n`,
    publish(change) {
      count++;
      const event = change === "reload"
        ? `event: reload\ndata: ${revision()}`
        : `event: part\ndata: ${JSON.stringify({ revision: revision(), ...change })}`;
      for (const response of listeners) response.write(`${event}\n\n`);
    },
    close() {
      for (const response of listeners) response.end();
      listeners.clear();
    },
  };
}
