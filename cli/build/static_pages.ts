import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RenderedPage } from "../emulator/prerender.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { createColors } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";
import { prepareBundle } from "./bundle_request.ts";
import type { BuildSubject } from "./production.ts";

/** Limits of a `_headers` file on Workers: rules, and characters of a line. */
const LIMITS = { rules: 100, line: 2_000 };

/** Headers that the platform sets for a file, or that belong to one response. */
const ofResponse = new Set(["content-type", "content-length", "transfer-encoding", "date"]);

/**
 * Renders the pages that export `prerender`, in the runtime of the built worker, and writes them as
 * static files with their headers.
 *
 * @param subject The project.
 * @param folder Absolute path of the build, whose static files are complete but for the pages.
 * @param minify As for the worker, so that scripts and stylesheets have the same addresses.
 * @returns Number of pages.
 * @throws {CliError} Exit code 3 for a page that cannot be static, 2 for settings under which files
 * would not be served as pages.
 */
export async function writeStaticPages(
  subject: BuildSubject,
  folder: string,
  minify: boolean,
): Promise<number> {
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
  if (hashed.length > 0) await addRules(assets, hashed);
  return hashed.length;
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

/**
 * Adds the headers of the pages to `_headers`: a rule for each route, because the platform allows a
 * hundred, and one for each page only where pages of a route differ.
 */
async function addRules(assets: string, pages: readonly RenderedPage[]): Promise<void> {
  const file = join(assets, "_headers");
  const before = await readFile(file, "utf8").catch(() => "");
  const byRoute = Map.groupBy(pages, ({ pattern }) => pattern);
  const rules = [...byRoute].flatMap(([pattern, own]) => {
    const lines = own.map(linesOf);
    const isOne = lines.every((text) => text === lines[0]);
    return isOne
      ? [`${rulePattern(pattern)}\n${lines[0]}`]
      : own.map(({ path }, index) => `${path}\n${lines[index]}`);
  });
  const count = before.split("\n").filter((line) => /^(\/|https?:)/.test(line)).length +
    rules.length;
  if (count > LIMITS.rules) {
    throw refusal([
      `The prerendered pages need ${count} rules in _headers, and ${LIMITS.rules} are the limit. ` +
      "Let the pages of a route have the same headers, or prerender fewer routes.",
    ]);
  }
  await appendFile(file, `\n${rules.join("\n")}\n`);
}

function rulePattern(pattern: string): string {
  return pattern.replace(/:[\w-]+\*\??/g, "*").replace(
    /:([\w-]+)/g,
    (_, name: string) => `:${name.replace(/\W/g, "_")}`,
  );
}

function linesOf({ path, headers }: RenderedPage): string {
  return headers.filter(([name]) => !ofResponse.has(name)).map(([name, value]) => {
    const line = `  ${name}: ${value}`;
    if (line.length <= LIMITS.line) return `  ! ${name}\n${line}`;
    throw refusal([
      `${path} cannot be prerendered: its header ${name} has more than ${LIMITS.line} characters.`,
    ]);
  }).join("\n");
}
