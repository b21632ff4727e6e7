import { join } from "node:path";
import { capture } from "./run_command.ts";

/** Costs of type-checking a file. All but the time is the same on every machine. */
export interface TypeCosts {
  /** Of the compiler, from its start to its end. */
  seconds: number;
  types: number;
  instantiations: number;
  files: number;
}

/** Options for checking the types of a file. */
export interface TypeCheckOptions {
  /** Folder that its imports are resolved in; the file is written there for as long as it takes. */
  folder: string;
  /** The program that runs the compiler, and its arguments: the compiler's file. */
  tsc: [program: string, ...args: string[]];
}

const COMPILER_OPTIONS = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  target: "es2022",
  module: "preserve",
  lib: ["es2024", "dom", "dom.iterable"],
  types: [],
};

function read(report: string, name: string): number {
  const value = new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(report)?.[1];
  if (value === undefined) throw new Error(`The compiler does not tell "${name}":\n${report}`);
  return Number(value);
}

/**
 * Checks a file with the compiler, as an application does that is written for workers.
 *
 * @throws {Error} With what the compiler finds wrong.
 */
export async function checkTypes(
  text: string,
  { folder, tsc: [program, ...before] }: TypeCheckOptions,
): Promise<TypeCosts> {
  const id = `types-${crypto.randomUUID()}`;
  const [source, config] = [`${id}.ts`, `${id}.json`];
  await Deno.writeTextFile(join(folder, source), text);
  await Deno.writeTextFile(
    join(folder, config),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [source] }),
  );
  try {
    const args = [...before, "--project", config, "--extendedDiagnostics"];
    const { code, stdout, stderr } = await capture(program, args, { cwd: folder });
    if (code !== 0) throw new Error(`${stdout}${stderr}`.replaceAll(source, "the file"));
    return {
      seconds: read(stdout, "Total time"),
      types: read(stdout, "Types"),
      instantiations: read(stdout, "Instantiations"),
      files: read(stdout, "Files"),
    };
  } finally {
    for (const name of [source, config]) await Deno.remove(join(folder, name));
  }
}
