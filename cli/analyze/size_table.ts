import { formatBytes } from "../terminal/bytes.ts";
import { printable } from "../terminal/printable.ts";
import type { Analysis } from "./analysis.ts";

/** As many lines as a terminal shows at once. */
const shown = 20;

/**
 * The routes and what each weighs, the heaviest first.
 *
 * @param analysis What the worker is made of.
 */
export function formatRoutes({ routes }: Pick<Analysis, "routes">): string {
  const rows = routes.slice(0, shown).map((route) => [
    printable(route.pattern),
    formatBytes(route.bytes),
    `~${formatBytes(route.gzipBytes)}`,
    formatBytes(route.ownBytes),
    route.kind === "route" ? "" : formatBytes(route.browserGzipBytes),
  ]);
  const left = routes.length - rows.length;
  return [
    table([["route", "with imports", "gzip", "only for it", "browser, gzip"], ...rows]),
    ...(left > 0 ? [`and ${left} more, which --analyze lists`] : []),
  ].join("\n");
}

/**
 * The packages in the worker, the largest first.
 *
 * @param analysis What the worker is made of.
 */
export function formatPackages({ packages }: Pick<Analysis, "packages">): string {
  const rows = packages.slice(0, shown).map(({ name, bytes }) => [
    printable(name),
    formatBytes(bytes),
  ]);
  return table([["package", "in the worker"], ...rows]);
}

/** The first column to the left, numbers to the right. */
function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
        )
        .join("  ")
        .trimEnd()
    )
    .join("\n");
}
