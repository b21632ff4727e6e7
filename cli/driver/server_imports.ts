import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, relative, sep } from "node:path";
import { clientOptions } from "./browser_options.ts";
import type { BundleRequest } from "./protocol.ts";
import type { Diagnostic } from "./frame.ts";
import type { Esbuild, EsbuildMessage, EsbuildResult } from "./tools.ts";

type Inputs = EsbuildResult["metafile"]["inputs"];

/**
 * Explains why scripts for browsers cannot be bundled where a client file imports what only the server has: the message
 * of the bundler names a file in the middle of a package.
 *
 * @param request What was to be bundled.
 * @param messages What the bundler said.
 * @returns Null when it is about something else.
 */
export async function findServerImports(
  esbuild: Esbuild,
  request: BundleRequest,
  messages: readonly EsbuildMessage[],
): Promise<Diagnostic[] | null> {
  const missing = messages.map(({ text }) => /^Could not resolve "([^"]+)"$/.exec(text)?.[1] ?? "");
  const names = [...new Set(missing)];
  if (request.clients.length === 0 || !names.every(isOfServer)) return null;
  // Once more, with what is missing left out: then the bundler tells who imports what.
  const options = { ...clientOptions(request), external: names };
  const inputs = await esbuild.build(options).then(
    ({ metafile }) => metafile.inputs,
    (): Inputs => ({}),
  );
  const found = await Promise.all(request.clients.flatMap(({ entry }) => {
    const start = relative(request.root, entry).split(sep).join("/");
    return names.map((name) => explain(chainTo(name, start, inputs), name, request.root));
  }));
  const problems = found.filter((each) => each !== null);
  return problems.length === 0 ? null : problems;
}

function isOfServer(name: string): boolean {
  return isBuiltin(name) || name.startsWith("cloudflare:");
}

/** A file, and how the one before it writes its name. */
interface Link {
  path: string;
  written: string;
}

/** The shortest way of imports from a file to a module, without the module. */
function chainTo(name: string, start: string, inputs: Inputs): Link[] | null {
  const ways: Link[][] = [[{ path: start, written: start }]];
  const seen = new Set([start]);
  for (const way of ways) {
    for (const { path, original = path } of inputs[way.at(-1)!.path]?.imports ?? []) {
      if (path === name) return way;
      if (seen.has(path)) continue;
      seen.add(path);
      ways.push([...way, { path, written: original }]);
    }
  }
  return null;
}

/** The first file of the way is the generated one, the second the client file. */
async function explain(
  way: Link[] | null,
  name: string,
  root: string,
): Promise<Diagnostic | null> {
  const [, client, ...others] = way ?? [];
  if (client === undefined) return null;
  const written = others[0]?.written ?? name;
  const needs = others.length === 0 ? "which" : `which needs ${name}, and that`;
  const isAuth = written === "@framework/auth";
  return {
    message:
      `${client.path} runs in the browser ("use client") and imports ${written}, ${needs} is on the server only.`,
    file: client.path,
    ...await placeOf(written, join(root, client.path)),
    notes: [
      ...(others.length > 1 ? [`By way of ${others.map(({ path }) => path).join(", ")}.`] : []),
      isAuth
        ? "Browsers have @framework/auth/client; what the server knows of the user comes by props."
        : "Use it in a page, layout or route, and give the component what it needs as props.",
    ],
  };
}

async function placeOf(
  written: string,
  file: string,
): Promise<Pick<Diagnostic, "line" | "column" | "length" | "lineText">> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const quoted = [`"${written}"`, `'${written}'`];
  const index = lines.findIndex((line) => quoted.some((text) => line.includes(text)));
  const lineText = lines[index];
  if (lineText === undefined) return { line: 1 };
  const column = Math.max(...quoted.map((text) => lineText.indexOf(text))) + 1;
  return { line: index + 1, column, length: written.length + 2, lineText };
}
