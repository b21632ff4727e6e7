import { dirname } from "node:path";
import type { JsonValue } from "../tools/jsonc.ts";
import {
  prerenderList,
  prerenderOrigin,
  type StaticAnswer,
  type StaticPages,
} from "../runtime/static_page.ts";
import { emulatorOptions, loadMiniflare } from "../tools/bundler_and_emulator.ts";
import { keepSignals } from "./runner.ts";

/** Worker that renders static pages. */
export interface PrerenderRequest {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the bundled worker. */
  worker: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  /** Variables of the platform file. */
  vars: Record<string, JsonValue>;
}

/** A rendered page. */
export interface RenderedPage {
  path: string;
  pattern: string;
  headers: [name: string, value: string][];
  body: string;
}

/** Rendered pages, or the reasons why a page cannot be static. */
export interface PrerenderResult {
  pages: RenderedPage[];
  problems: string[];
}

/** Renders the static pages of an application in workerd, one after the other. */
export async function prerenderPages(request: PrerenderRequest): Promise<PrerenderResult> {
  const miniflare = loadMiniflare(request.root);
  const emulator = keepSignals(() =>
    new miniflare.Miniflare(emulatorOptions(miniflare, {
      host: "127.0.0.1",
      port: 0,
      cf: false,
      handleStructuredLogs: () => {},
      workers: [{
        name: "prerender",
        // Otherwise the worker's name is its path from the process's folder, and workerd refuses one with "..".
        modulesRoot: dirname(request.worker),
        modules: [{ type: "ESModule", path: request.worker }],
        compatibilityDate: request.compatibilityDate,
        compatibilityFlags: request.compatibilityFlags,
        bindings: request.vars,
      }],
    }))
  );
  async function ask<T>(path: string): Promise<T> {
    return await (await emulator.dispatchFetch(`${prerenderOrigin}${path}`)).json() as T;
  }
  try {
    const { pages, problems } = await ask<StaticPages>(prerenderList);
    const rendered: RenderedPage[] = [];
    for (const page of problems.length > 0 ? [] : pages) {
      const { headers, body, problem } = await ask<StaticAnswer>(page.path);
      if (problem === null) rendered.push({ ...page, headers, body });
      else problems.push(`${page.path} cannot be prerendered: ${problem}.`);
    }
    return { pages: rendered, problems };
  } finally {
    await emulator.dispose();
  }
}
