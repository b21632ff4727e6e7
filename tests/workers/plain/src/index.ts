// A worker as wrangler runs it: nothing of it knows the framework, and its imports have no endings.
import { DurableObject, env as imported, WorkerEntrypoint } from "cloudflare:workers";
import { Hono } from "hono";
import { addNote, type Env, listNotes } from "./notes";
import { latestRates } from "./rates";
import about from "./about.txt";

const app = new Hono<{ Bindings: Env }>();
const kept: { env?: Env } = {};
let requests = 0;
const greeting = imported.GREETING;

app.get("/", (c) => c.text(`${greeting} ${c.env.GREETING} ${about.trim()}`));
app.get("/requests", (c) => c.json(++requests));
app.get("/now", (c) => c.json([Date.now(), new Date().getTime(), Date.parse(Date())]));
app.get("/notes", async (c) => c.json(await listNotes()));
app.post("/notes", async (c) => {
  await addNote(await c.req.text());
  return c.body(null, 201);
});
app.get("/kept", async (c) => {
  kept.env ??= c.env;
  return c.json(await kept.env.NOTES.prepare("SELECT count(*) AS count FROM notes").first("count"));
});
app.get("/cached", async (c) => {
  const found = await c.env.CACHE.get("key");
  await c.env.CACHE.put("key", "cached", { expirationTtl: 60 });
  return c.json(found);
});
app.get("/page", async (c) => {
  const cache = c.req.query("cache") ? await caches.open(c.req.query("cache")!) : caches.default;
  const found = await cache.match(c.req.raw);
  if (found !== undefined) return found;
  const response = c.text("made", 200, { "cache-control": "max-age=60" });
  c.executionCtx.waitUntil(cache.put(c.req.raw, new Response("kept", response)));
  return response;
});
app.get("/where", async (c) => {
  await scheduler.wait(1);
  return c.json([c.req.raw.cf?.country, c.req.raw.clone().cf?.country]);
});
app.put("/file", async (c) => {
  await c.env.FILES.put("file", await c.req.arrayBuffer());
  return c.json((await c.env.FILES.head("file"))?.size);
});
app.post("/mails", async (c) => {
  await c.env.MAILS.send(await c.req.json());
  return c.body(null, 202);
});
app.get("/count", async (c) => c.json(await c.env.COUNTER.getByName("one").next()));
app.get("/rates", async (c) => c.json(await latestRates()));
app.get("/later", (c) => {
  c.executionCtx.waitUntil(c.env.CACHE.put("later", "yes"));
  return c.text("now");
});
app.get("/cookie", (c) => {
  c.header("set-cookie", "session=ada; Path=/; HttpOnly");
  return c.text(c.req.header("cookie") ?? "none");
});
app.get("/error", () => {
  throw new RangeError("Not today");
});
app.onError((error) => {
  throw error;
});

export class Counter extends DurableObject<Env> {
  async next(): Promise<number> {
    const count = (await this.ctx.storage.get<number>("count") ?? 0) + 1;
    await this.ctx.storage.put("count", count);
    return count;
  }
  async ask(): Promise<number[]> {
    const { rate } = await (await fetch("https://rates.example/object")).json() as { rate: number };
    return [Date.now(), rate];
  }
}

export class Prices extends WorkerEntrypoint<Env> {
  of(name: string): string {
    return `${this.env.GREETING}, ${name} costs ${name.length}`;
  }
  refuse(): never {
    throw new RangeError("No price");
  }
  for(): string {
    return JSON.stringify((this.ctx as unknown as { props: unknown }).props);
  }
}

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    if (new URL(request.url).pathname !== "/passes") return app.fetch(request, env, ctx);
    ctx.passThroughOnException();
    throw new Error("The origin answers");
  },
  async queue(batch: MessageBatch<{ to: string }>, env: Env): Promise<void> {
    for (const message of batch.messages) {
      if (message.body.to === "throw") throw new RangeError("Not this one");
      if (message.body.to === "later") message.retry({ delaySeconds: 30 });
      else await env.CACHE.put(`mail:${message.body.to}`, `${batch.queue} ${message.attempts}`);
    }
  },
  async scheduled(controller: ScheduledController, env: Env): Promise<void> {
    if (controller.cron === "throw") throw new RangeError("No such schedule");
    await env.CACHE.put("ran", `${controller.cron} ${controller.scheduledTime} ${Date.now()}`);
    controller.noRetry();
  },
  async email(message: ForwardableEmailMessage, env: Env): Promise<void> {
    if (message.to === "nobody@example.com") return message.setReject("No such mailbox");
    await env.CACHE.put("subject", `${message.headers.get("subject")} ${message.rawSize}`);
    await message.forward("ada@example.com");
  },
};
