import { data, type RouteHandler } from "@framework/cli/runtime";

export const GET: RouteHandler = (_request, { db }) =>
  db.selectFrom("items").selectAll().orderBy("id").execute();

export const POST: RouteHandler = async (request, { auth, db }) => {
  await auth.requireAuth({ throwError: true });
  const item = await request.json();
  await db.insertInto("items").values(item).execute();
  return data(item, { status: 201 });
};
