/** A rectangle; all four values are shares of the whole, from 0 to 1. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Divides a rectangle into one for each size, as near to squares as it goes: a row grows along the shorter side for as
 * long as its worst rectangle gets better.
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
