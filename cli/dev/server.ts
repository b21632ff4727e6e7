import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { extname, join } from "node:path";
import type { Duplex } from "node:stream";
import { contentTypes, imagePolicy } from "../build/asset_imports.ts";
import { findHiddenFile } from "../build/public_files.ts";
import { assetsFolder } from "../client/assets.ts";
import type { Certificate } from "./certificate.ts";
import type { ErrorText } from "./browser_errors.ts";
import { errorOverlay, errorPage } from "./error_page.ts";
import { WorkerHang } from "./hang_watch.ts";
import { refusesHandler, scheduleOf } from "./host_check.ts";
import type { LiveReload } from "./live_reload.ts";
import type { Proxy } from "./proxy.ts";

/** State of the application. */
export type AppState = { kind: "running"; proxy: Proxy } | { kind: "broken"; text: string };

/** Options for {@linkcode createFrontServer}. */
export interface FrontOptions {
  /** True when a Host header names this server. */
  isOwnHost(header: string | undefined): boolean;
  /** Resolves when no build is running. */
  state(): Promise<AppState>;
  /** Resolves once a worker that has died answers again, or another is being started. */
  recover(): Promise<void>;
  /** Reports changes to open pages. */
  live: LiveReload;
  /** Absolute path of the folder of built scripts and stylesheets. */
  assets: string;
  /** Absolute path of the project's folder of static files. */
  publicDir: string;
  /** Says in plain text where an error of the worker comes from, from its stack. */
  explain(stack: string): Promise<ErrorText>;
  /** Takes the errors that pages report; false for all other requests. */
  takeError(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Returns the schedules of the application's jobs. */
  schedules(): readonly string[];
  /** Makes it an https server. */
  certificate?: Certificate | undefined;
}

/** Creates the server for browsers. It keeps running while the worker behind it is rebuilt. */
export function createFrontServer(options: FrontOptions): Server | SecureServer {
  const { certificate } = options;
  function listener(request: IncomingMessage, response: ServerResponse): void {
    // Deno 2.9 sometimes never sends the second response on a TLS connection that stays open.
    if (certificate !== undefined) response.shouldKeepAlive = false;
    void answer(request, response, options).catch(() => response.destroy());
  }
  const server = certificate === undefined
    ? createServer(listener)
    : createSecureServer({ key: certificate.key, cert: certificate.cert }, listener);
  server.on("upgrade", (request: IncomingMessage, client: Duplex, head: Uint8Array) => {
    void answerUpgrade({ request, client, head }, options).catch(() => client.destroy());
  });
  return server;
}

async function answerUpgrade(
  { request, client, head }: { request: IncomingMessage; client: Duplex; head: Uint8Array },
  { isOwnHost, state }: FrontOptions,
): Promise<void> {
  const isAllowed = isOwnHost(request.headers.host) && request.url?.startsWith("/");
  const current = isAllowed ? await state() : null;
  if (current?.kind === "running") return current.proxy.upgrade(request, client, head);
  client.end(`HTTP/1.1 ${current ? "503 Service Unavailable" : "403 Forbidden"}\r\n\r\n`);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { isOwnHost, state, recover, live, assets, publicDir, explain, takeError, schedules }:
    FrontOptions,
): Promise<void> {
  if (!isOwnHost(request.headers.host)) {
    return send(response, 403, {
      text: "The development server does not accept this host name.\n" +
        "If it is yours, add it to dev.allowedHosts in framework.config.ts.\n",
    });
  }
  // Only a path: an absolute URL could name another host than the one that was checked.
  if (!request.url?.startsWith("/")) {
    return send(response, 400, { text: "The request target is not a path.\n" });
  }
  if (refusesHandler(request)) {
    return send(response, 403, { text: "Only pages of this application may make this request.\n" });
  }
  const hidden = findHiddenFile(publicDir, request.url);
  if (hidden !== undefined) {
    return send(response, 404, {
      text: `${hidden} is not served, nor built, since its name begins with a dot.\n`,
    });
  }
  if (live.answer(request, response) || await takeError(request, response)) return;
  for (let attempt = 1;; attempt++) {
    const current = await state();
    if (await answerBuiltAsset(request, response, assets)) return;
    if (current.kind === "broken") {
      return sendProblem(request, response, {
        status: 500,
        html: errorPage(current.text) + live.tag(),
        text: current.text,
      });
    }
    const schedule = scheduleOf(request.url);
    if (schedule !== null && !schedules().includes(schedule)) {
      return send(response, 404, { text: describeUnknown(schedule, schedules()) });
    }
    try {
      return await current.proxy.pass(request, response, async (error) => {
        if (error === null) return { message: "", markup: live.tag() };
        const explained = await explain(error).catch(() => ({ text: error, all: error }));
        return { message: explained.text, markup: errorOverlay(explained) + live.tag() };
      });
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      // Not sent again: the next worker would hang as well.
      if (error instanceof WorkerHang) {
        return sendProblem(request, response, {
          status: 504,
          html: errorPage(error.message, { refreshes: false }) + live.tag(),
          text: error.message,
        });
      }
      const recovered = recover();
      // The worker was replaced during the request: a request without a body can be sent again.
      const repeatable = request.method === "GET" || request.method === "HEAD";
      if (repeatable && attempt < 3) {
        await recovered;
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      return send(response, 502, { text: `The worker did not answer (${reason}).\n` });
    }
  }
}

function describeUnknown(schedule: string, schedules: readonly string[]): string {
  const named = schedule === ""
    ? "The address names no schedule"
    : `No job has the schedule "${schedule}"`;
  if (schedules.length === 0) return `${named}, and there are none: app/cron has no job.\n`;
  const list = schedules.map((each) =>
    `  ?cron=${each.replaceAll("#", "%23").replaceAll(" ", "+")}\n`
  ).join("");
  return `${named}. Ask with one of these:\n${list}`;
}

function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  { status, html, text }: { status: number; html: string; text: string },
): void {
  const isPage = request.headers.accept?.includes("text/html") ?? false;
  send(response, status, isPage ? { html } : { text: `${text}\n` });
}

function send(
  response: ServerResponse,
  status: number,
  body: { text: string } | { html: string },
): void {
  const type = "html" in body ? "text/html" : "text/plain";
  response.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end("html" in body ? body.html : body.text);
}

/**
 * Serves built scripts and stylesheets, which are static files in production.
 *
 * @param folder Absolute path of the folder that the driver writes them to.
 * @returns false for every other request.
 */
export async function answerBuiltAsset(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
): Promise<boolean> {
  const path = request.url?.split("?", 1)[0] ?? "";
  const name = assetNameIn(path);
  if (name === null || (request.method !== "GET" && request.method !== "HEAD")) return false;
  const content = await readFile(join(folder, assetsFolder, name)).catch(() => null);
  if (content === null) return false;
  response.writeHead(200, {
    "content-type": contentTypes[extname(name).toLowerCase()] ?? "application/octet-stream",
    "content-length": content.byteLength,
    // The same address has other content after the next save.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(/\.svg$/i.test(name) ? { "content-security-policy": imagePolicy } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : content);
  return true;
}

/** Returns the file that a path names, which cannot lead out of the folder; null for other paths. */
function assetNameIn(path: string): string | null {
  if (!path.startsWith(`${assetsFolder}/`)) return null;
  try {
    const name = decodeURIComponent(path.slice(assetsFolder.length + 1));
    return /^[^./\\\0][^/\\\0]*\.\w+$/.test(name) ? name : null;
  } catch {
    return null;
  }
}
