// src/index.ts
import { Hono } from "hono";

const app = new Hono<{ Bindings: Env }>();

app.get("/notes", async (c) => {
  const { results } = await c.env.DB.prepare("SELECT text FROM notes ORDER BY id").all();
  return c.json(results.map(({ text }) => text));
});

app.post("/notes", async (c) => {
  const text = await c.req.text();
  await c.env.DB.prepare("INSERT INTO notes (text, at) VALUES (?, ?)").bind(text, Date.now()).run();
  await c.env.CACHE.put("last", text, { expirationTtl: 3600 });
  await c.env.MAILS.send({ subject: text });
  return c.body(null, 201);
});

export default {
  fetch: app.fetch,
  async queue(batch) {
    for (const message of batch.messages) {
      const body = JSON.stringify(message.body);
      const { ok } = await fetch("https://mailer.example/send", { method: "POST", body });
      if (!ok) message.retry({ delaySeconds: 60 });
    }
  },
  async scheduled(_controller, env) {
    await env.DB.prepare("DELETE FROM notes WHERE at < ?").bind(Date.now() - 86_400_000).run();
  },
} satisfies ExportedHandler<Env>;
