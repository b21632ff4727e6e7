import { readFile } from "node:fs/promises";
import type { EsbuildPlugin, EsbuildResult } from "../tools/bundler_and_emulator.ts";

/** The library that verifies passkeys, in `node_modules`. */
const LIBRARY = /[\\/]node_modules[\\/]@simplewebauthn[\\/]server[\\/]/;

/** Packages whose use of it reads no certificate. */
const OWN = /[\\/]node_modules[\\/]@(?:framework[\\/]auth|simplewebauthn[\\/]server)[\\/]/;

/**
 * Its files about the makers of authenticators: the formats of their statements, their certificates, and lists of them.
 * In Go's regular expressions.
 */
const FILES =
  /@simplewebauthn[\\/]server[\\/]esm[\\/](?:metadata|services[\\/]defaultRootCerts|registration[\\/]verifications[\\/](?:tpm|verifyAttestation(?:FIDOU2F|Android\w+|Apple)\.js)|helpers[\\/](?:validateCertificatePath|isCertRevoked|getCertificateInfo|convertX509PublicKeyToCOSE|convertCertBufferToPEM)\.js)/;

/**
 * Tests if a worker may read the certificates of an authenticator's maker: `@framework/auth` takes them away before the
 * library reads a new passkey, others that use the library may have asked for them.
 *
 * @param metafile Description of the bundled worker.
 */
export function readsCertificates({ inputs }: EsbuildResult["metafile"]): boolean {
  return Object.entries(inputs).some(([path, { imports }]) =>
    imports.some((imported) => LIBRARY.test(`/${imported.path}`)) && !OWN.test(`/${path}`)
  );
}

/**
 * Plugin of esbuild that leaves those files out of a worker, with the packages that they alone use: 50 kB compressed.
 * What calls them all the same fails: a passkey is then refused.
 */
export const withoutCertificates: EsbuildPlugin = {
  name: "framework:without-certificates",
  setup(build) {
    build.onLoad({ filter: FILES }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      // Anything else the library may come to write stays as it is.
      if (/^export (?!(?:async )?function \w|const \w|\{\})/m.test(text)) return undefined;
      const names = [...text.matchAll(/^export (?:(?:async )?(function)|const) (\w+)/gm)];
      const lines = names.map(([, isFunction, name]) =>
        isFunction
          ? `export function ${name}() { throw new Error("${name}() is not in this worker"); }`
          : `export const ${name} = "";`
      );
      return { contents: [...lines, "export {};"].join("\n"), loader: "js" };
    });
  },
};
