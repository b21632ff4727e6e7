import type { Diagnostic } from "./protocol.ts";
import type { EsbuildMessage } from "./tools.ts";

/** Turns a message of esbuild into ours: columns count from 1 and in characters, as editors do. */
export function toDiagnostic({ text, location, notes }: EsbuildMessage): Diagnostic {
  return {
    message: text,
    notes: notes.map((note) =>
      note.location
        ? `${note.text} (${note.location.file}:${note.location.line}:${columnOf(note.location)})`
        : note.text
    ),
    ...(location && {
      file: location.file,
      line: location.line,
      column: columnOf(location),
      length: textAt(location, location.column, location.length).length,
      lineText: location.lineText,
    }),
  };
}

type Location = NonNullable<EsbuildMessage["location"]>;

function columnOf(location: Location): number {
  return textAt(location, 0, location.column).length + 1;
}

/** esbuild counts bytes of UTF-8. */
function textAt({ lineText }: Location, start: number, length: number): string {
  const bytes = new TextEncoder().encode(lineText);
  return new TextDecoder().decode(bytes.subarray(start, start + length));
}
