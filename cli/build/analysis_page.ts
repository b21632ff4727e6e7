import { formatBytes } from "../terminal/output.ts";
import type { Analysis, Share } from "./analysis.ts";

/** Rectangle whose values are fractions of the whole, from 0 to 1. */
interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Divides a rectangle into one for each size, as square as possible: a row grows along the shorter
 * side as long as its worst aspect ratio improves.
 *
 * @param sizes Positive numbers, the largest first.
 * @param area What to divide.
 * @see Bruls, Huizing, van Wijk: Squarified Treemaps (2000)
 */
export function squarify(sizes: number[], area: Rectangle): Rectangle[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const scale = total === 0 ? 0 : area.width * area.height / total;
  const areas = sizes.map((size) => size * scale);
  const found: Rectangle[] = [];
  let left = area;
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(left.width, left.height);
    let end = start + 1;
    while (
      end < areas.length &&
      worst(areas.slice(start, end + 1), side) <= worst(areas.slice(start, end), side)
    ) end++;
    const row = areas.slice(start, end);
    found.push(...placeRow(row, left));
    left = withoutRow(row, left);
    start = end;
  }
  return found;
}

function worst(row: number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0);
  const largest = Math.max(...row);
  const smallest = Math.min(...row);
  if (sum === 0 || smallest === 0) return Infinity;
  return Math.max(side * side * largest / (sum * sum), sum * sum / (side * side * smallest));
}

function placeRow(row: number[], { x, y, width, height }: Rectangle): Rectangle[] {
  const sum = row.reduce((total, area) => total + area, 0);
  const isColumn = width >= height;
  const thickness = sum === 0 ? 0 : sum / (isColumn ? height : width);
  let at = isColumn ? y : x;
  return row.map((area) => {
    const length = thickness === 0 ? 0 : area / thickness;
    const placed = isColumn
      ? { x, y: at, width: thickness, height: length }
      : { x: at, y, width: length, height: thickness };
    at += length;
    return placed;
  });
}

function withoutRow(row: number[], { x, y, width, height }: Rectangle): Rectangle {
  const sum = row.reduce((total, area) => total + area, 0);
  if (width >= height) {
    const used = height === 0 ? 0 : sum / height;
    return { x: x + used, y, width: Math.max(0, width - used), height };
  }
  const used = width === 0 ? 0 : sum / width;
  return { x, y: y + used, width, height: Math.max(0, height - used) };
}

const whole: Rectangle = { x: 0, y: 0, width: 1, height: 1 };

/**
 * Renders a page that shows what the worker consists of. It needs no script and no external
 * resource.
 *
 * @param name Name of the application.
 * @param analysis What to show.
 */
export function analysisPage(name: string, analysis: Analysis): string {
  const { packages, routes, modules } = analysis;
  const areas = squarify(packages.map(({ bytes }) => bytes), whole);
  const groups = packages.map((each, index) => {
    const inside = modules.filter((module) => module.package === each.name && module.bytes > 0);
    return box(each, areas[index] ?? whole, {
      hue: index * 47 % 360,
      content: squarify(inside.map(({ bytes }) => bytes), whole)
        .map((area, at) => box(inside[at]!, area, { hue: index * 47 % 360, content: "" }))
        .join(""),
    });
  });
  const rows = routes.map((route) => {
    const sizes = [route.bytes, route.gzipBytes, route.ownBytes, route.browserGzipBytes];
    const cells = [escape(route.pattern), route.kind, ...sizes.map(formatBytes)];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(name)}: what the worker is made of</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem }
.map { position: relative; height: 70vh; min-height: 24rem }
.map div { position: absolute; box-sizing: border-box; overflow: hidden; border: 1px solid Canvas; font-size: .75rem; line-height: 1.2 }
.map span { position: absolute; inset: 0 auto auto 0; padding: .1rem .25rem; white-space: nowrap }
.map > div > span { z-index: 1; font-weight: 600; background: color-mix(in srgb, Canvas 75%, transparent) }
.map > div > div > span { top: 1.3rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
td:nth-child(n+3), th:nth-child(n+3) { text-align: right; font-variant-numeric: tabular-nums }
</style>
</head>
<body>
<h1>${escape(name)}</h1>
<p>worker.js: ${formatBytes(analysis.bytes)}, ${
    formatBytes(analysis.gzipBytes)
  } compressed. Each area is a file's share of it.</p>
<div class="map">
${groups.join("\n")}
</div>
<h2>Routes</h2>
<table>
<thead><tr><th scope="col">pattern</th><th scope="col">kind</th><th scope="col">with all it imports</th><th scope="col">compressed, its share</th><th scope="col">only for it</th><th scope="col">to the browser, compressed</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</body>
</html>
`;
}

function box(
  { name, bytes }: Share,
  { x, y, width, height }: Rectangle,
  { hue, content }: { hue: number; content: string },
): string {
  const style = [
    `left:${percent(x)}`,
    `top:${percent(y)}`,
    `width:${percent(width)}`,
    `height:${percent(height)}`,
    `background:hsl(${hue} 60% 50% / .35)`,
  ].join(";");
  const text = escape(`${name}: ${formatBytes(bytes)}`);
  return `<div style="${style}" title="${text}"><span>${text}</span>${content}</div>`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(3))}%`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
}
