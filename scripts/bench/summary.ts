import { formatFigure, formatNumber, type Section } from "./report.ts";

/** A line of the summary: one figure of the library and the same of those that do the same. */
interface Highlight {
  what: string;
  section: string;
  /** Title of the table. */
  table: string;
  column: string;
  library: string;
  betterAuth: string;
  authCore: string;
}

const SAME = { library: "the library", betterAuth: "Better Auth", authCore: "Auth.js core" };
const IN_TOKEN = {
  library: "the library",
  betterAuth: "Better Auth, cookie cache (jwt)",
  authCore: "Auth.js core, session action",
};
const IN_DATABASE = { ...SAME, authCore: "Auth.js core, adapter by hand" };

/** Rows of the summary. */
export const HIGHLIGHTS: readonly Highlight[] = [
  ...["Node", "Deno", "workerd"].map((column) => ({
    what: `Session check, token, ${column}`,
    section: "sessions",
    table: "Session in a token",
    column,
    ...IN_TOKEN,
  })),
  ...["Node", "Deno"].map((column) => ({
    what: `Session check, SQLite, ${column}`,
    section: "sessions",
    table: "Session in `node:sqlite`",
    column,
    ...IN_DATABASE,
  })),
  {
    what: "Session check, D1, workerd",
    section: "sessions",
    table: "Session in D1",
    column: "workerd",
    ...IN_DATABASE,
  },
  {
    what: "Requests with a session check, workerd",
    section: "requests",
    table: "workerd",
    column: "requests",
    ...IN_TOKEN,
  },
  {
    what: "Sign-in with a password, without the hash, workerd",
    section: "sign-in",
    table: "Without a hash",
    column: "workerd",
    ...SAME,
  },
  {
    what: "Sign-in at a provider, workerd",
    section: "oauth",
    table: "OAuth 2.0",
    column: "workerd",
    ...SAME,
  },
  {
    what: "CPU of a worker's start, over an empty one",
    section: "starts",
    table: "workerd",
    column: "CPU over empty",
    library: "the library, sessions in a database",
    betterAuth: "Better Auth, minimal, in memory",
    authCore: "Auth.js core",
  },
  {
    what: "Worker, compressed",
    section: "sizes",
    table: "Worker",
    column: "gzip -9",
    library: "the library, sessions in a database",
    betterAuth: "Better Auth, minimal, in memory",
    authCore: "Auth.js core",
  },
  {
    what: "Client in the browser, compressed",
    section: "sizes",
    table: "Page",
    column: "gzip -9",
    library: "the library",
    betterAuth: "Better Auth",
    authCore: "next-auth, React",
  },
  ...["Node", "Deno"].map((column) => ({
    what: `Cold import, ${column}`,
    section: "imports",
    table: "Import",
    column,
    library: "the library",
    betterAuth: "Better Auth, minimal",
    authCore: "Auth.js core, two providers",
  })),
  {
    what: "Types made to check a configuration",
    section: "types",
    table: "tsc",
    column: "types",
    ...SAME,
  },
];

/** The summary as a table in Markdown; what has not been measured is left out. */
export function renderSummary(sections: ReadonlyMap<string, Section>): string {
  const lines = HIGHLIGHTS.flatMap(({ what, section, table: title, column, ...names }) => {
    const table = sections.get(section)?.tables.find((table) => table.title === title);
    if (table === undefined) return [];
    const at = table.columns.indexOf(column);
    const figureOf = (name: string) => table.rows.find((row) => row.name === name)?.figures[at];
    const own = figureOf(names.library);
    if (!own) return [];
    const cells = [names.betterAuth, names.authCore].map((name) => {
      const figure = figureOf(name);
      if (!figure) return "";
      return `${formatFigure(figure)} (${formatNumber(figure.value / own.value)}×)`;
    });
    return [`| ${[what, formatFigure(own), ...cells].join(" | ")} |`];
  });
  return [
    "| | this library | Better Auth | Auth.js |",
    "| --- | ---: | ---: | ---: |",
    ...lines,
  ].join("\n");
}
