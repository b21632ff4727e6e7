import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { assetsFolder } from "../client/assets.ts";

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
};

/**
 * Answers requests for built scripts and stylesheets, which in production are static files.
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
  // One name, of a build's own making: nothing in it leads out of the folder.
  const name = /^\/_framework\/([\w-]+(?:\.[\w-]+)+)$/.exec(path)?.[1];
  if (name === undefined || (request.method !== "GET" && request.method !== "HEAD")) return false;
  const content = await readFile(join(folder, assetsFolder, name)).catch(() => null);
  if (content === null) return false;
  response.writeHead(200, {
    "content-type": types[extname(name)] ?? "application/octet-stream",
    "content-length": content.byteLength,
    // The same address holds something else after the next save.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : content);
  return true;
}
