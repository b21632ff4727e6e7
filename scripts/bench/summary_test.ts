import assert from "node:assert/strict";
import { CLIENTS, CONFIGURATIONS, IMPORTS, WORKERS } from "./applications_text.ts";
import { contendersOf } from "./contest.ts";
import { handlers } from "./programs/handlers.ts";
import type { Section } from "./report.ts";
import { HIGHLIGHTS, renderSummary } from "./summary.ts";

Deno.test("HIGHLIGHTS name contenders that there are", async () => {
  const names: Record<string, string[]> = {
    sessions: [
      ...Object.keys(await contendersOf("session_jwt.ts")),
      ...Object.keys(await contendersOf("session_database.ts")),
      ...Object.keys(await contendersOf("session_d1.ts")),
    ],
    requests: Object.keys(handlers),
    "sign-in": Object.keys(await contendersOf("sign_in.ts")),
    oauth: Object.keys(await contendersOf("oauth.ts")),
    starts: Object.keys(WORKERS),
    sizes: [...Object.keys(WORKERS), ...Object.keys(CLIENTS)],
    imports: Object.keys(IMPORTS),
    types: Object.keys(CONFIGURATIONS),
  };
  for (const { section, library, betterAuth, authCore } of HIGHLIGHTS) {
    for (const name of [library, betterAuth, authCore]) {
      assert.ok(names[section]!.includes(name), `${section}: ${name}`);
    }
  }
});

Deno.test("renderSummary() shows what was measured, and how many times the library the others take", () => {
  const section: Section = {
    name: "requests",
    title: "",
    about: "",
    tables: [{
      title: "workerd",
      columns: ["requests", "CPU of one"],
      rows: [
        { name: "the library", figures: [{ value: 1000, unit: "/s" }, null] },
        { name: "Auth.js core, session action", figures: [{ value: 250, unit: "/s" }, null] },
      ],
    }],
    goals: [],
  };
  assert.equal(
    renderSummary(new Map([["requests", section]])),
    `| | this library | Better Auth | Auth.js |
| --- | ---: | ---: | ---: |
| Requests with a session check, workerd | 1,000 /s |  | 250 /s (0.25×) |`,
  );
});
