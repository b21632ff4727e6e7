import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";
import { loadedAtOnce } from "../../budgets.ts";
import { CLIENTS, WORKERS } from "../applications_text.ts";
import { bundleOptions } from "../bundle_program.ts";
import type { BenchOptions } from "../contest.ts";
import type { Goal, Row, Section, Table } from "../report.ts";

interface Size {
  minified: number;
  compressed: number;
}

const ENTRY = "entry.ts";

/** Of the bundle of an application: what is loaded at once, and not what it asks for later. */
async function sizeOf(contents: string, peers: string, splits: boolean): Promise<Size> {
  const options = await bundleOptions("worker", peers);
  const { outputFiles, metafile } = await esbuild.build({
    ...options,
    stdin: { contents, resolveDir: peers, sourcefile: ENTRY, loader: "ts" },
    external: [...options.external!, "react", "react-dom", "react/jsx-runtime"],
    minify: true,
    splitting: splits,
    outdir: "bundle",
    write: false,
    metafile: true,
  });
  const names = loadedAtOnce(metafile, ENTRY);
  const files = outputFiles.filter(({ path }) => names.some((name) => path.endsWith(name)));
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
  return {
    minified: sum(files.map(({ contents }) => contents.length)),
    compressed: sum(files.map(({ contents }) => gzipSync(contents, { level: 9 }).length)),
  };
}

async function tableOf(
  title: string,
  texts: Readonly<Record<string, string>>,
  { peers, splits, base }: { peers: string; splits: boolean; base: string },
): Promise<Table> {
  const rows: Row[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const { minified, compressed } = await sizeOf(text, peers, splits);
    const kilobytes = [minified, compressed].map((bytes) => bytes / 1000);
    rows.push({ name, figures: kilobytes.map((value) => ({ value, unit: "kB" })) });
  }
  await esbuild.stop();
  return { title, columns: ["minified", "gzip -9"], rows, base };
}

/** Measures what applications are as bundles. */
export async function measureSizes({ peers }: BenchOptions): Promise<Section> {
  const workers = await tableOf("Worker", WORKERS, {
    peers,
    splits: false,
    base: "the library, sessions in a database",
  });
  const clients = await tableOf("Page", CLIENTS, { peers, splits: true, base: "the library" });
  const goal = (what: string, { rows, base }: Table, limit: number): Goal => ({
    what,
    value: rows.find(({ name }) => name === base)!.figures[1]!.value,
    unit: "kB",
    is: "at most",
    limit,
  });
  return {
    name: "sizes",
    title: "Bundles",
    about:
      "With a way to sign in by a password, one provider and a page that knows who is signed in, by esbuild; of " +
      "iron-session and hono/jwt the session alone. A worker is one file; of a page's, what is loaded at once.",
    tables: [workers, clients],
    goals: [
      goal("the minimal worker, compressed", workers, 30),
      goal("the client, compressed", clients, 3),
    ],
  };
}
