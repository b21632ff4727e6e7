/** Units of figures. Times of CPU and of the wall share one; the text of the section says which is measured. */
export type Unit = "µs" | "ns" | "ms" | "s" | "B" | "kB" | "MB" | "/s" | "" | "million/s";

/** One measured value. */
export interface Figure {
  value: number;
  unit: Unit;
  /** Half of the range between the quartiles, as a part of the median; left out where there is one value. */
  noise?: number;
}

/** Measurement of one contender. */
export interface Row {
  name: string;
  /** One for each column; null where it cannot be measured. */
  figures: (Figure | null)[];
}

/** Contenders beside each other. */
export interface Table {
  title: string;
  columns: string[];
  rows: Row[];
  /** Name of the row that all others are compared with, column by column. Left out: nothing is compared. */
  base?: string;
}

/** Goal for a figure, as it was set before it was measured. */
export interface Goal {
  what: string;
  value: number;
  /** The unit of value and limit; × for ratios. */
  unit: "×" | "ms" | "kB";
  limit: number;
  /** Direction of the limit. */
  is: "at most" | "at least";
}

/** The report about one subject. */
export interface Section {
  /** Name on the command line. */
  name: string;
  title: string;
  /** Subject and method of the measurement. */
  about: string;
  tables: Table[];
  goals: Goal[];
}

/** Three significant digits, with separators above a thousand. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(Number(value.toPrecision(3))).toLocaleString("en-US");
  if (size < 0.01) return value === 0 ? "0" : value.toPrecision(1);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A figure with its unit. */
export function formatFigure({ value, unit }: Figure): string {
  if (unit === "" && Number.isInteger(value)) return value.toLocaleString("en-US");
  return `${formatNumber(value)}${unit === "" ? "" : ` ${unit}`}`;
}

/** Returns true when a goal is reached. */
export function isReached({ value, limit, is }: Goal): boolean {
  return is === "at most" ? value <= limit : value >= limit;
}

function tableLines({ title, columns, rows, base }: Table): string[] {
  const bases = rows.find(({ name }) => name === base)?.figures;
  const lines = rows.map(({ name, figures }) => {
    const cells = figures.map((figure, column) => {
      if (figure === null) return "–";
      const compared = bases?.[column];
      if (!compared || compared.value === 0 || name === base) return formatFigure(figure);
      return `${formatFigure(figure)} (${formatNumber(figure.value / compared.value)}×)`;
    });
    return `| ${[name === base ? `**${name}**` : name, ...cells].join(" | ")} |`;
  });
  return [
    `| ${[title, ...columns].join(" | ")} |`,
    `| --- |${" ---: |".repeat(columns.length)}`,
    ...lines,
  ];
}

/** Line on the noise of the tables' medians. */
function noiseLine(tables: readonly Table[]): string | null {
  const figures = tables.flatMap(({ rows }) => rows).flatMap((row) => row.figures);
  const noises = figures.flatMap((figure) => figure?.noise ?? []).sort((a, b) => a - b);
  if (noises.length === 0) return null;
  const percent = (noise: number) => `±${(noise * 100).toFixed(0)} %`;
  const [middle, most] = [noises[noises.length >> 1]!, noises.at(-1)!];
  return `Noise, half of the range between the quartiles: mostly ${percent(middle)}, at most ${
    percent(most)
  }.`;
}

function goalLine(goal: Goal, notes: Readonly<Record<string, string>>): string {
  const { what, value, unit, limit, is } = goal;
  const text = (number: number) => `${formatNumber(number)}${unit === "×" ? "" : " "}${unit}`;
  const line = `${what}: ${text(value)}, goal ${is} ${text(limit)}`;
  if (isReached(goal)) return `- ${line}.`;
  const note = notes[what];
  return `- **Missed**: ${line}.${note === undefined ? "" : ` ${note}`}`;
}

/** The section in Markdown, below a heading of the given level. */
export function renderSection(
  { title, about, tables, goals }: Section,
  { level = 2, notes = {} }: { level?: number; notes?: Readonly<Record<string, string>> } = {},
): string {
  const parts = [
    `${"#".repeat(level)} ${title}`,
    about,
    ...tables.map((table) => tableLines(table).join("\n")),
  ];
  const noise = noiseLine(tables);
  if (noise !== null) parts.push(noise);
  if (goals.length > 0) parts.push(goals.map((goal) => goalLine(goal, notes)).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/**
 * Replaces what stands between the marks of a section in a document.
 *
 * @throws {Error} When the document has no such marks.
 */
export function replaceSection(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- end ${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The document has no "${begin}" … "${end}"`);
  return `${document.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${document.slice(to)}`;
}
