import { isBuiltin } from "node:module";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import type { EsbuildMessage } from "../tools/bundler_and_emulator.ts";
import { findPackage, installCommand } from "../tools/packages.ts";

/** Advice about esbuild options, which an application cannot set. */
const foreignAdvice = /\bas external\b|"(?:platform|conditions|mainFields|loader|target)\b/;

/**
 * Converts a message of esbuild: columns count from 1 and in characters, as in editors, and a
 * missing package comes with the command that installs it. A file of the application without the default export that
 * the generated entry imports is named itself.
 *
 * @param message The message.
 * @param root Absolute path of the project.
 */
export function toDiagnostic({ text, location, notes }: EsbuildMessage, root: string): Diagnostic {
  const [, file] = /^No matching export in "([^"]+)" for import "default"$/.exec(text) ?? [];
  if (file !== undefined && location?.file.startsWith(".framework/")) {
    return {
      file,
      line: 1,
      message: "This file has no default export, so that its configuration would not be read.",
      notes: ["Write `export default` before what it defines."],
    };
  }
  return {
    message: text,
    notes: [
      ...notes.filter((note) => !foreignAdvice.test(note.text)).map((note) =>
        note.location
          ? `${note.text} (${note.location.file}:${note.location.line}:${columnOf(note.location)})`
          : note.text
      ),
      ...adviceFor(text, root),
    ],
    ...(location && {
      file: location.file,
      line: location.line,
      column: columnOf(location),
      length: textAt(location, location.column, location.length).length,
      lineText: location.lineText,
    }),
  };
}

function adviceFor(text: string, root: string): string[] {
  const name = /^Could not resolve "((?:@[\w.~-]+\/)?[A-Za-z\d_][\w.~-]*)(?:\/[^"]*)?"$/.exec(text)
    ?.[1];
  if (name === undefined || isBuiltin(name)) return [];
  return findPackage(name, root) === undefined
    ? [`Run \`${installCommand(name, root, { dev: false })}\`, or correct the name.`]
    : [`The package ${name} is installed, but does not export this file.`];
}

type Location = NonNullable<EsbuildMessage["location"]>;

function columnOf(location: Location): number {
  return textAt(location, 0, location.column).length + 1;
}

/** Returns a part of a line; esbuild counts bytes of UTF-8. */
function textAt({ lineText }: Location, start: number, length: number): string {
  const bytes = new TextEncoder().encode(lineText);
  return new TextDecoder().decode(bytes.subarray(start, start + length));
}
