/** Field of a cron expression: its name, its range and the words for its values. */
interface Field {
  name: string;
  from: number;
  to: number;
  words?: readonly string[];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN"]
  .concat(["JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]);

/** As on Workers, 1 is Sunday. */
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const FIELDS: readonly Field[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12, words: MONTHS },
  { name: "day of the week", from: 1, to: 7, words: DAYS },
];

/** Advice for an expression that is wrong. */
export const CRON_FIELDS: string =
  'Write minute, hour, day of the month, month and day of the week, in UTC, such as "0 3 * * *".';

/**
 * Finds what a server cannot run of a cron expression.
 *
 * @param expression Five fields, of numbers, names, lists, ranges and steps.
 * @returns A sentence without a subject; null when it is supported.
 */
export function wrongCron(expression: string): string | null {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return `has ${parts.length} fields instead of 5`;
  for (const [index, part] of parts.entries()) {
    const field = FIELDS[index]!;
    if (readField(part, field) === null) {
      return `has a ${field.name} that a server does not read: ${JSON.stringify(part)}`;
    }
  }
  // Of two restrictions some programs take both and others either.
  const areBoth = parts[2] !== "*" && parts[4] !== "*";
  return areBoth ? "restricts both the day of the month and the day of the week" : null;
}

/**
 * Finds what no platform can run of a cron expression. What is only unknown here passes: Workers also read `L`, `W` and `#`.
 *
 * @param expression Five fields.
 * @returns A sentence without a subject; null when nothing is impossible.
 * @see https://developers.cloudflare.com/workers/configuration/cron-triggers/#supported-cron-expressions
 */
export function impossibleCron(expression: string): string | null {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return `has ${parts.length} fields instead of 5`;
  for (const [index, part] of parts.entries()) {
    const { name, from, to, words = [] } = FIELDS[index]!;
    const isPossible = part.split(",").every((item) =>
      item.startsWith("L") || item.replace(/[/#].*$/, "").split("-").every((value) => {
        if (/^\d+$/.test(value)) return Number(value) >= from && Number(value) <= to;
        return /^[A-Z]{3,}$/i.test(value)
          ? words.includes(value.slice(0, 3).toUpperCase())
          : value !== "";
      })
    );
    if (isPossible) continue;
    // Many other programs have 0 for Sunday.
    const days = words === DAYS ? ": 1 is Sunday, and 7 Saturday" : "";
    return `names ${JSON.stringify(part)} as its ${name}, which does not exist${days}`;
  }
  return null;
}

/**
 * Returns true when an expression is due in the minute of a time, in UTC.
 *
 * @param expression A supported expression.
 * @param time Milliseconds since 1970.
 */
export function isDue(expression: string, time: number): boolean {
  const at = new Date(time);
  const values = [
    at.getUTCMinutes(),
    at.getUTCHours(),
    at.getUTCDate(),
    at.getUTCMonth() + 1,
    at.getUTCDay() + 1,
  ];
  return expression.trim().split(/\s+/).every((part, index) =>
    readField(part, FIELDS[index]!)?.has(values[index]!)
  );
}

/** Returns the values of a field; null for what is none. */
function readField(text: string, field: Field): Set<number> | null {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
    const [first, last, ...more] = range.split("-");
    if (more.length > 0 || step === "0") return null;
    const start = range === "*" ? field.from : readValue(first, field);
    const end = range === "*" || (last === undefined && step !== undefined)
      ? field.to
      : readValue(last ?? first, field);
    if (start === null || end === null || start > end) return null;
    for (let value = start; value <= end; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function readValue(text: string | undefined, { from, to, words = [] }: Field): number | null {
  const word = words.indexOf(text?.toUpperCase() ?? "");
  if (word !== -1) return from + word;
  const value = /^\d+$/.test(text ?? "") ? Number(text) : NaN;
  return value >= from && value <= to ? value : null;
}
