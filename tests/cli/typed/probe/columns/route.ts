import {
  type ColumnsOf,
  parseJson,
  type RequestContext,
  type RouteHandler,
  toJson,
} from "@framework/cli/runtime";

export const GET: RouteHandler<"/probe/columns"> = async (_request, { db }) => {
  const row = await db.selectFrom("probes").selectAll().executeTakeFirstOrThrow();
  const state: "open" | "closed" = row.state;
  const done: 0 | 1 = row.done;
  // @ts-expect-error the column may be NULL
  parseJson(row.labels);
  const labels: string[] = row.labels === null ? [] : parseJson(row.labels);
  const note: string = row.note;
  return { state, done, labels, note };
};

export async function POST(_request: Request, { db }: RequestContext<"/probe/columns">) {
  await db.insertInto("probes").values({ done: 1, note: "a", labels: toJson(["a"]) }).execute();
  await db.updateTable("probes").set({ state: "closed", labels: null }).execute();
  // @ts-expect-error neither "open" nor "closed"
  db.updateTable("probes").set({ state: "shut" });
  // @ts-expect-error a text that is not known to be JSON of a list
  db.updateTable("probes").set({ labels: "[]" });
  // @ts-expect-error a column without a default is missing
  db.insertInto("probes").values({ done: 1 });
  // @ts-expect-error neither 0 nor 1
  db.selectFrom("probes").where("done", "=", 2);
}

interface Tables {
  probes: { state: string; done: number | null };
}
type Declares<Declared extends ColumnsOf<Tables, Declared>> = Declared;
export type Right = Declares<{ probes: { done: 0 | 1 } }>;
// @ts-expect-error no such table
export type NoTable = Declares<{ probe: { done: 0 | 1 } }>;
// @ts-expect-error no such column
export type NoColumn = Declares<{ probes: { don: 0 | 1 } }>;
// @ts-expect-error SQLite has no booleans
export type NoPart = Declares<{ probes: { done: boolean } }>;
