import type { Env } from "../../env.ts";

/** Log entries under a name. */
export async function GET(request: Request, { env }: { env: Env }): Promise<unknown> {
  return { value: await env.LOG.get(new URL(request.url).searchParams.get("key")!) };
}

/** Sends a message to the queue. */
export async function POST(request: Request, { env }: { env: Env }): Promise<void> {
  await env.MAILS.send(await request.json());
}
