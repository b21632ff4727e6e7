import { join } from "node:path";
import { assetsFolder } from "../client/assets.ts";
import type { BundleRequest } from "./protocol.ts";

/** Where what browsers load is written to, below the folder of static files. */
export function assetsOutput({ root, outDir }: Pick<BundleRequest, "root" | "outDir">): string {
  return join(outDir ?? join(root, ".framework"), "assets", assetsFolder);
}

/** esbuild's options for the scripts of client files: one for each, with what they share in chunks. */
export function clientOptions(request: BundleRequest): Record<string, unknown> {
  const { clients, minify, dev } = request;
  return {
    ...common(request),
    entryPoints: clients.map(({ entry, name }) => ({ in: entry, out: name })),
    splitting: true,
    format: "esm",
    // What the browser has of it is in the page already.
    loader: { ".css": "empty" },
    alias: {
      "@framework/cli/jsx-runtime": "@framework/cli/client/jsx-runtime",
      "@framework/cli/jsx-dev-runtime": "@framework/cli/client/jsx-runtime",
      "hono/jsx": "@framework/cli/client/jsx",
      "hono/jsx/dom": "@framework/cli/client/jsx",
      "hono/jsx/jsx-runtime": "@framework/cli/client/jsx-runtime",
      "hono/jsx/jsx-dev-runtime": "@framework/cli/client/jsx-runtime",
    },
    define: { "process.env.NODE_ENV": minify ? '"production"' : '"development"' },
    // The sources of a production build stay here.
    sourcemap: dev ? "linked" : false,
  };
}

/** esbuild's options for the stylesheets that files of the application import. */
export function styleOptions(
  request: BundleRequest,
  styles: readonly { in: string; out: string }[],
): Record<string, unknown> {
  return {
    ...common(request),
    entryPoints: styles,
    // Addresses such as /logo.svg are static files. No pattern says that: it would hold for every absolute path.
    external: request.staticNames.flatMap((name) => [`/${name}`, `/${name}/*`]),
    loader: Object.fromEntries(files.map((ending) => [ending, "file"])),
    assetNames: "[name]-[hash]",
    sourcemap: false,
  };
}

const files = [
  ".avif",
  ".gif",
  ".jpeg",
  ".jpg",
  ".otf",
  ".png",
  ".svg",
  ".ttf",
  ".webp",
  ".woff",
  ".woff2",
];

function common({ root, tsconfig, outDir, minify, dev }: BundleRequest): Record<string, unknown> {
  return {
    absWorkingDir: root,
    tsconfig,
    outdir: assetsOutput({ root, outDir }),
    write: false,
    bundle: true,
    platform: "browser",
    target: "es2022",
    entryNames: dev ? "[name]" : "[name]-[hash]",
    chunkNames: dev ? "shared-[hash]" : "[name]-[hash]",
    minify,
    metafile: true,
    logLevel: "silent",
    legalComments: "none",
  };
}
