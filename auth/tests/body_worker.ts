import { isAuthError } from "../errors.ts";
import { readFields } from "../lib/body.ts";

async function answer(request: Request): Promise<Response> {
  try {
    return Response.json(Object.fromEntries(await readFields(request, { optional: false })));
  } catch (error) {
    if (!isAuthError(error)) throw error;
    return new Response(error.code, { status: error.status });
  }
}

/** Answers with the fields of a form, or of one that the worker itself makes, which announces less than comes. */
const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname !== "/made") return await answer(request);
    const body = `a=${"x".repeat(40_000)}`;
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "8" };
    return await answer(new Request(request.url, { method: "POST", headers, body }));
  },
};

export default worker;
