import type { Env } from "../../env.ts";

export function POST(_request: Request, { env }: { env: Env }): Promise<Response> {
  return env.COUNTER.get(env.COUNTER.idFromName("only")).fetch("http://counter/");
}
