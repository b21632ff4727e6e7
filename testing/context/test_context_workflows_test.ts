import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmailSender } from "../platform/send_email.ts";
import type { Workflow } from "../platform/workflow.ts";
import { createTestContext } from "./test_context.ts";

const FILES: Record<string, string> = {
  "wrangler.jsonc": `{
    "name": "orders",
    "compatibility_date": "2026-07-30",
    "compatibility_flags": ["nodejs_compat"],
    "workflows": [{ "binding": "ORDERS", "name": "orders", "class_name": "Order" }],
    "send_email": [{ "name": "MAILER" }],
    "ratelimits": [{ "name": "LIMIT", "namespace_id": "1", "simple": { "limit": 1, "period": 60 } }]
  }`,
  "app/objects/order.ts": `import { WorkflowEntrypoint } from "cloudflare:workers";
    export class Order extends WorkflowEntrypoint {
      async run({ payload }, step) {
        await step.sleep("a week", "7 days");
        return await step.do("remind", async () => {
          const mail = { from: "shop@app.example", to: payload.to, subject: "Your order", text: "?" };
          return (await this.env.MAILER.send(mail)).messageId.length > 0;
        });
      }
    }`,
  "app/api/order/route.ts": `export const POST = async (_request, context) => {
      const { success } = await context.env.LIMIT.limit({ key: "all" });
      if (!success) return new Response(null, { status: 429 });
      return { id: (await context.env.ORDERS.create({ params: { to: "ada@app.example" } })).id };
    };`,
};

Deno.test("workflows, mails and rate limits of a context go by its clock", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "workflows-"));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  try {
    await using ctx = await createTestContext<{ ORDERS: Workflow; MAILER: EmailSender }>({ cwd });
    const order = () => ctx.fetch("/api/order", { method: "POST" });
    const response = await order();
    assert.equal(response.status, 200);
    assert.equal((await order()).status, 429);
    const { id } = await response.json();
    const instance = await ctx.env.ORDERS.get(id);
    await ctx.clock.advance("6d");
    assert.deepEqual(ctx.env.MAILER.take(), []);
    await ctx.clock.advance("1d");
    assert.deepEqual(await instance.status(), { status: "complete", output: true });
    const [mail] = ctx.env.MAILER.take();
    assert.deepEqual([mail?.to, mail?.sent.getTime()], [["ada@app.example"], ctx.clock.now()]);
    assert.equal((await order()).status, 200);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
