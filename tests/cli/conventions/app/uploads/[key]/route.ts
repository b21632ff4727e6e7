import type { BodyLimit, ObjectBucket, RequestContext } from "@framework/cli/runtime";

type Context = RequestContext<"/uploads/[key]"> & { env: { UPLOADS: ObjectBucket } };

export const bodyLimit: BodyLimit = "2 MB";

/** Stores the body as it comes, without holding it in memory. */
export async function PUT(request: Request, { env, params }: Context) {
  await env.UPLOADS.put(params.key, request.body);
  return { size: (await env.UPLOADS.head(params.key))!.size };
}

/** Holds all of it. */
export async function POST(request: Request) {
  return { size: (await request.bytes()).length };
}

export function PATCH(request: Request) {
  return request.json();
}
