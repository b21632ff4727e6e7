import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RenderedPage } from "../emulator/prerender.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { createColors } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";
import { prepareBundle } from "./bundle_request.ts";
import type { BuildSubject } from "./production.ts";

/**
 * Renders the pages that export `prerender`, in the runtime of the built worker, and writes them as
 * static files.
 *
 * @param subject The project.
 * @param folder Absolute path of the build, whose static files are complete but for the pages.
 * @param minify As for the worker, so that scripts and stylesheets have the same addresses.
 * @returns The pages, whose headers belong into the file `_headers`.
 * @throws {CliError} Exit code 3 for a page that cannot be static, 2 for settings under which files
 * would not be served as pages.
 */
export async function writeStaticPages(
  subject: BuildSubject,
  folder: string,
  minify: boolean,
): Promise<RenderedPage[]> {
  const { config, platform, scan, driver } = subject;
  requirePackage("miniflare", config.root);
  demandHtmlHandling(platform);
  const place = join(folder, ".prerender");
  const request = await prepareBundle(subject, scan, {
    dev: false,
    outDir: place,
    minify,
    sourcemap: false,
    wrapper: "@framework/cli/prerender",
  });
  const built = await driver.call("bundle", request);
  if (!built.ok) {
    const plain = createColors(false);
    throw refusal(built.errors.map((error) => formatDiagnostic(error, plain)));
  }
  const { pages, problems } = await driver.call("prerender", {
    root: config.root,
    worker: join(place, "worker.js"),
    compatibilityDate: platform.compatibilityDate,
    compatibilityFlags: platform.compatibilityFlags,
    vars: subject.vars,
  });
  await rm(place, { recursive: true });
  if (problems.length > 0) throw refusal(problems);
  const assets = join(folder, "assets");
  const hashed = pages.map(withHashes);
  for (const { path, body } of hashed) {
    const file = join(assets, fileOf(path));
    if (existsSync(file)) {
      throw refusal([`${path} is prerendered, and public has a file for it: ${fileOf(path)}.`]);
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
  return hashed;
}

function refusal(problems: string[]): CliError {
  return new CliError(problems.join("\n"), { exitCode: ExitCode.build });
}

/** Refuses settings under which `/about` would not be answered by `about.html`. */
function demandHtmlHandling({ raw }: Platform): void {
  const handling = (raw["assets"] as Record<string, unknown> | undefined)?.["html_handling"];
  const fits = [undefined, "auto-trailing-slash", "drop-trailing-slash"];
  if (fits.includes(handling as string | undefined)) return;
  throw new CliError(`With "html_handling": "${handling}", prerendered pages would not be found.`, {
    exitCode: ExitCode.config,
    hint: 'Remove it from "assets" of the platform file, or remove prerender from the pages.',
  });
}

function fileOf(path: string): string {
  if (path === "/") return "index.html";
  const parts = path.slice(1).split("/").map(decodeURIComponent);
  const last = parts.at(-1)!;
  if (last === "index" || last.endsWith(".html")) {
    throw refusal([
      `${path} cannot be prerendered: an address that ends with "index" or ".html" is redirected.`,
    ]);
  }
  return `${parts.join("/")}.html`;
}

/**
 * Replaces the nonce in a page's policy: the same for every visitor, it would admit injected
 * scripts. The hashes of the page's own inline scripts (CSP Level 3, section 6.7.3) take its place.
 */
function withHashes(page: RenderedPage): RenderedPage {
  const policy = page.headers.find(([name]) => name === "content-security-policy")?.[1] ?? "";
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  if (nonce === undefined) return page;
  const hashes = new Set<string>();
  const body = page.body.replace(
    /<script\b([^>]*)>([^]*?)<\/script>/g,
    (element, attributes: string, code: string) => {
      const mark = ` nonce="${nonce}"`;
      if (!attributes.includes(mark)) return element;
      hashes.add(`'sha256-${createHash("sha256").update(code).digest("base64")}'`);
      return `<script${attributes.replace(mark, "")}>${code}</script>`;
    },
  );
  if (body.includes(nonce)) {
    throw refusal([`${page.path} cannot be prerendered: an element has the nonce of a response.`]);
  }
  const headers = page.headers.map(([name, value]): [string, string] => [
    name,
    value.replaceAll(`'nonce-${nonce}'`, [...hashes].join(" ")),
  ]);
  return { ...page, headers, body };
}
