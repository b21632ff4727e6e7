import { format, inspect } from "node:util";

/** One row of `each`: the name with its placeholders filled in, and the arguments of the test. */
export interface EachRow {
  name: string;
  args: unknown[];
}

/**
 * Fills in the names of a table as vitest does: `%s %d %i %f %j %o %%` take the next value, `%#`
 * and `%$` the row's number from 0 and 1, `$key` and `$key.inner` a property of an object.
 */
export function eachRows(title: string, table: readonly unknown[]): EachRow[] {
  return table.map((row, index) => {
    const args = Array.isArray(row) ? row : [row];
    const numbered = title.replace(/%%|%#|%\$/g, (found) => {
      if (found === "%%") return found;
      return String(found === "%#" ? index : index + 1);
    });
    const wanted = numbered.match(/%[sdifjoOc]/g)?.length ?? 0;
    const named = numbered.replace(/\$([\w.]+)/g, (found, path: string) => {
      const value = property(args[0], path);
      return value === undefined ? found : typeof value === "string" ? value : inspect(value);
    });
    return { name: format(named, ...args.slice(0, wanted)), args };
  });
}

function property(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}
