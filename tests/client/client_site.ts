import { type AuthOptions, createAuth, createMemoryStorage, credentials } from "@framework/auth";
import * as esbuild from "esbuild";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** An application whose pages run scripts of the test, on one port. */
export interface ClientSite {
  origin: string;
  /** Answers in place of the endpoint for the session, until it is null again. */
  fault: number | null;
  /** Number of requests for the session. */
  asked: number;
  close(): Promise<void>;
}

/** The files of a page's script by path; the page loads `/page.js`, and that the others. */
export type PageFiles = Record<string, string>;

const bundles = new Map<string, Promise<PageFiles>>();

/** Bundles a page's script once, as applications do: what is imported later is a file of its own. */
export function bundlePage(source: string, plugins: esbuild.Plugin[] = []): Promise<PageFiles> {
  const bundle = bundles.get(source) ?? bundleSource(source, plugins);
  bundles.set(source, bundle);
  return bundle;
}

async function bundleSource(source: string, plugins: esbuild.Plugin[]): Promise<PageFiles> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: repositoryRoot,
    stdin: {
      contents: source,
      resolveDir: `${repositoryRoot}/tests/client/adapters`,
      sourcefile: "page.ts",
      loader: "ts",
    },
    alias: await workspaceAlias(),
    bundle: true,
    splitting: true,
    outdir: "/",
    entryNames: "page",
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins,
    logLevel: "silent",
  });
  await esbuild.stop();
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
}

/** Serves a page whose only script is the given one with its parts, under a policy that lets nothing else in. */
export function serveClientSite(
  files: PageFiles,
  options: (origin: string) => Partial<AuthOptions> = () => ({}),
): ClientSite {
  const database = createMemoryStorage();
  const createApplication = (origin: string) =>
    createAuth<unknown>({
      database,
      rateLimit: false,
      providers: [credentials({
        credentials: { name: { label: "Name", type: "text" } },
        authorize: ({ name }) =>
          Promise.resolve(name === "nobody" ? null : { id: name!, name: name! }),
      })],
      ...options(origin),
    });
  const page =
    `<!doctype html><html lang="en"><title>Application</title><link rel="icon" href="data:,">
<main><h1>Application</h1><div id="app"></div></main><script type="module" src="/page.js"></script></html>`;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const file = files[pathname];
    if (file !== undefined) {
      return new Response(file, { headers: { "content-type": "text/javascript" } });
    }
    if (pathname === "/auth/session") {
      site.asked++;
      if (site.fault !== null) return new Response("down", { status: site.fault });
    }
    return await auth.handle(request, {}) ?? new Response(page, {
      headers: {
        "content-type": "text/html",
        "content-security-policy":
          "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'",
      },
    });
  });
  const origin = `http://localhost:${server.addr.port}`;
  const auth = createApplication(origin);
  const site: ClientSite = {
    origin,
    fault: null,
    asked: 0,
    close: () => server.shutdown(),
  };
  return site;
}
