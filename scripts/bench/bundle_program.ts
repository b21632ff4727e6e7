import * as esbuild from "esbuild";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { asInstalled } from "../as_installed.ts";
import { workspaceAlias } from "../budgets.ts";
import { benchFolder, PEER_MODULES, PROCESS_PEER_MODULES } from "./peers.ts";

/** Runtime of a bundle. */
export type Target = "process" | "worker";

/** Folder of the peers, and the bundle's own. */
export interface BundlePlaces {
  /** Folder in which the peers can be resolved. */
  peers: string;
  /** Folder of the written files. */
  outdir: string;
}

/** Modules of Node without their prefix, which only Node knows. */
const prefixed: esbuild.Plugin = {
  name: "prefixed",
  setup(build) {
    const names = builtinModules.filter((name) => /^[a-z]/.test(name) && !name.includes(":")).join(
      "|",
    );
    build.onResolve({ filter: new RegExp(`^(${names})$`) }, ({ path, resolveDir }) => {
      // Packages of the same name, such as buffer, come first in the folders of the peers.
      return resolveDir === "" ? null : { path: `node:${path}`, external: true };
    });
  },
};

// CommonJS asks for modules of Node by a function that modules do not have.
const REQUIRE = 'import { createRequire as __createRequire } from "node:module";\n' +
  'const require = __createRequire("file:///bundle.mjs");';

/** Options of esbuild for bundles of the library and its peers. */
export async function bundleOptions(target: Target, peers: string): Promise<esbuild.BuildOptions> {
  const conditions = target === "process" ? ["node"] : ["workerd", "worker", "browser"];
  const forTarget: esbuild.BuildOptions = target === "process"
    ? { platform: "node" }
    : { platform: "browser", define: { "process.env.NODE_ENV": '"production"' } };
  return {
    absWorkingDir: peers,
    alias: await workspaceAlias(),
    bundle: true,
    format: "esm",
    target: "es2022",
    external: ["node:*", "cloudflare:*"],
    conditions,
    plugins: [prefixed, await asInstalled()],
    logLevel: "silent",
    ...forTarget,
  };
}

/** Exports of a program, and the module that serves them, by target. */
const SERVES = {
  contenders: {
    process: ["serve_process.ts", "serveProcess"],
    worker: ["serve_worker.ts", "serveWorker"],
  },
  handlers: {
    process: ["serve_handler.ts", "serveHandlerProcess"],
    worker: ["serve_handler.ts", "serveHandlerWorker"],
  },
} as const;

/** The module that starts a program, which is a file of the folder `programs`. */
function entryText(program: string, target: Target): string {
  const modules = target === "process"
    ? { ...PEER_MODULES, ...PROCESS_PEER_MODULES }
    : PEER_MODULES;
  const loaders = Object.entries(modules).map(([name, specifier]) => {
    return `  ${name}: () => import(${JSON.stringify(specifier)}).then(exportsOf),`;
  });
  const what = program.startsWith("handlers") ? "handlers" : "contenders";
  const [file, serve] = SERVES[what][target];
  return `import { ${serve} } from ${JSON.stringify(join(benchFolder, file))};
import { ${what} } from ${JSON.stringify(join(benchFolder, "programs", program))};
// CommonJS has nothing but a default export here.
function exportsOf(module) {
  const isAlone = Object.keys(module).join() === "default" && typeof module.default === "object";
  return isAlone ? module.default : module;
}
const peers = {
${loaders.join("\n")}
};
${target === "process" ? "await" : "export default"} ${serve}(${what}, peers);
`;
}

/**
 * Bundles a program with the library and the peers, each peer in files that are loaded when it is used.
 *
 * @returns Names of the written files, the one to start first.
 */
export async function bundleProgram(
  program: string,
  target: Target,
  { peers, outdir }: BundlePlaces,
): Promise<string[]> {
  const { metafile } = await esbuild.build({
    ...await bundleOptions(target, peers),
    stdin: { contents: entryText(program, target), resolveDir: peers, sourcefile: "program.ts" },
    outdir,
    splitting: true,
    metafile: true,
    entryNames: "program",
    chunkNames: "[name]-[hash]",
    outExtension: { ".js": ".mjs" },
    banner: { js: REQUIRE },
  });
  await esbuild.stop();
  const names = Object.keys(metafile!.outputs).map((path) => path.split("/").at(-1)!);
  return ["program.mjs", ...names.filter((name) => name !== "program.mjs")];
}
