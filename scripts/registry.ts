/**
 * A loopback npm registry that serves this repository's packages, and nothing else, so that a
 * package manager installs them as it will install the published ones.
 *
 * Usage: `deno run -A scripts/registry.ts [--port N]`, then in the folder of an application
 * `echo "@framework:registry=<the printed address>" > .npmrc` and `npm install`.
 *
 * @module
 */

import { createHash } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Build, buildPackages, npmDate } from "./npm.ts";
import type { Manifest } from "./npm_manifest.ts";

/** A registry that listens. */
export interface Registry {
  /** Address with a final slash, for `@framework:registry=`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the packages of a build on 127.0.0.1.
 *
 * The address holds the source hash: package managers key their caches by address and version, and
 * would go on using what they have when the same version is served with other content.
 *
 * @param options.port Port to listen on. Default: any free one.
 */
export async function startRegistry(
  build: Build,
  options: { port?: number } = {},
): Promise<Registry> {
  const base = `/${build.hash.slice(0, 16)}/`;
  const packages = new Map<string, { manifest: Manifest; bytes: Uint8Array<ArrayBuffer> }>();
  for (const { manifest, tarball } of build.packages) {
    packages.set(manifest.name, { manifest, bytes: await Deno.readFile(tarball) });
  }
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: options.port ?? 0, onListen: () => {} },
    (request) => {
      const url = new URL(request.url);
      const path = decodeURIComponent(url.pathname);
      if (!path.startsWith(base)) return notFound(path);
      const [name, file] = path.slice(base.length).split("/-/") as [string, string?];
      const found = packages.get(name);
      if (!found) return notFound(path);
      if (file === undefined) {
        return Response.json(packument(found.manifest, found.bytes, `${url.origin}${base}`));
      }
      if (file !== tarballName(found.manifest)) return notFound(path);
      return new Response(found.bytes, { headers: { "content-type": "application/octet-stream" } });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}${base}`,
    close: () => server.shutdown(),
  };
}

function notFound(path: string): Response {
  return Response.json({ error: `Not found: ${path}` }, { status: 404 });
}

function tarballName(manifest: Manifest): string {
  return `${manifest.name.split("/").at(-1)}-${manifest.version}.tgz`;
}

/** Metadata of a package in a registry: here of its one version. */
function packument(manifest: Manifest, bytes: Uint8Array, base: string): unknown {
  const { name, version } = manifest;
  const digest = (algorithm: string) => createHash(algorithm).update(bytes);
  // An old date: package managers can refuse what was published within the last days.
  const time = npmDate.toISOString();
  return {
    name,
    "dist-tags": { latest: version },
    versions: {
      [version]: {
        ...manifest,
        _id: `${name}@${version}`,
        dist: {
          integrity: `sha512-${digest("sha512").digest("base64")}`,
          shasum: digest("sha1").digest("hex"),
          tarball: `${base}${name}/-/${tarballName(manifest)}`,
        },
      },
    },
    time: { created: time, modified: time, [version]: time },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ args: Deno.args, options: { port: { type: "string" } } });
  const registry = await startRegistry(
    await buildPackages({ gate: false }),
    values.port === undefined ? {} : { port: Number(values.port) },
  );
  process.stdout.write(`@framework:registry=${registry.url}\n`);
}
