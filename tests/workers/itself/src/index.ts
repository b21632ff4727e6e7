// A worker that reaches its own parts by what the platform's modules give, without bindings.
import {
  DurableObject,
  env as imported,
  exports,
  RpcStub,
  RpcTarget,
  waitUntil,
  withEnv,
  WorkerEntrypoint,
} from "cloudflare:workers";

// deno-lint-ignore no-explicit-any -- bindings and exports by their names.
type Any = any;

export class Counter extends DurableObject {
  async next(): Promise<number> {
    const count = (await this.ctx.storage.get<number>("count") ?? 0) + 1;
    await this.ctx.storage.put("count", count);
    return count;
  }
  async priceOf(name: string): Promise<number> {
    return await (this.ctx as Any).exports.Prices.of(name);
  }
}

export class Declared extends Counter {
  size(): number {
    return this.ctx.storage.sql.databaseSize;
  }
}

export class Prices extends WorkerEntrypoint<Any> {
  of(name: string): number {
    return name.length;
  }
  async countedBy(name: string): Promise<number> {
    return await (this.ctx as Any).exports.Counter.getByName(name).next();
  }
}

class Cursor extends RpcTarget {
  #position = 0;
  next(): number {
    return ++this.#position;
  }
}

const ROUTES: Record<string, (env: Any, ctx: Any) => unknown> = {
  "/place": (env) => [env.PLACE, (imported as Any).PLACE],
  "/exports": async (_env, ctx) => [
    await ctx.exports.Prices.of("bread"),
    await (exports as Any).Prices.of("milk"),
    ctx.exports.Nothing === undefined,
  ],
  "/objects": async (_env, ctx) => [
    await ctx.exports.Counter.getByName("a").next(),
    await (exports as Any).Counter.getByName("a").next(),
    await ctx.exports.Declared.getByName("a").next(),
    typeof await ctx.exports.Declared.getByName("a").size(),
    await ctx.exports.Counter.getByName("a").priceOf("egg"),
    await ctx.exports.Prices.countedBy("a"),
  ],
  "/stub": async () => {
    using stub = new RpcStub(new Cursor()) as Any;
    return [await stub.next(), await stub.next()];
  },
  "/later": (env) => {
    waitUntil(env.CACHE.put("later", "yes"));
    return "now";
  },
  "/instead": async (env) => {
    await withEnv({ ...env, PLACE: "elsewhere" }, async () => {
      await (imported as Any).CACHE.put("place", (imported as Any).PLACE);
    });
    return [await env.CACHE.get("place"), (imported as Any).PLACE];
  },
  "/self": async (env) => [await env.SELF.of("salt"), await env.SELF.countedBy("b")],
  "/limits": async ({ READS, WRITES }) => {
    const results = [];
    for (const limit of [READS, WRITES, READS, WRITES]) {
      results.push((await limit.limit({ key: "ada" })).success);
    }
    return results;
  },
};

export default {
  async fetch(request: Request, env: Any, ctx: Any): Promise<Response> {
    const answer = ROUTES[new URL(request.url).pathname];
    return answer === undefined
      ? new Response(null, { status: 404 })
      : Response.json(await answer(env, ctx));
  },
};
