import assert from "node:assert/strict";
import type { AppScan } from "../app/scan.ts";
import { analyze } from "./analysis.ts";
import { analysisPage } from "./analysis_page.ts";

const modules = [
  { path: "app/page.tsx", bytes: 10, imports: ["lib/a.ts"] },
  { path: "app/layout.tsx", bytes: 5, imports: [] },
  { path: "app/x/route.ts", bytes: 20, imports: ["lib/a.ts", "node_modules/@s/p/i.js"] },
  { path: "lib/a.ts", bytes: 3, imports: ["app/page.tsx"] },
  {
    path: "node_modules/@s/p/i.js",
    bytes: 100,
    imports: ["node_modules/@s/p/node_modules/q/i.js"],
  },
  { path: "node_modules/@s/p/node_modules/q/i.js", bytes: 1, imports: [] },
];

const browser = {
  assets: {
    scripts: { "lib/a.ts": ["/_framework/a.js", "/_framework/shared.js"] },
    styles: {
      "app/page.tsx": ["/_framework/page.css"],
      "app/layout.tsx": ["/_framework/shared.js"],
    },
  },
  gzipBytes: { "/_framework/a.js": 7, "/_framework/shared.js": 11, "/_framework/page.css": 2 },
};

const scan = {
  appDir: "/w/app",
  routes: [
    {
      kind: "page",
      pattern: "/",
      file: "/w/app/page.tsx",
      layouts: ["/w/app/layout.tsx"],
      middleware: [],
    },
    { kind: "route", pattern: "/<x>", file: "/w/app/x/route.ts", layouts: [], middleware: [] },
  ],
} as unknown as AppScan;

const analysis = analyze(modules, { root: "/w", scan, bytes: 150, gzipBytes: 75, browser });

Deno.test("analyze() counts what each route imports, and what only it does", () => {
  assert.deepEqual(analysis.routes, [
    {
      kind: "route",
      pattern: "/<x>",
      bytes: 134,
      gzipBytes: 67,
      ownBytes: 121,
      browserGzipBytes: 0,
    },
    { kind: "page", pattern: "/", bytes: 18, gzipBytes: 9, ownBytes: 5, browserGzipBytes: 20 },
  ]);
});

Deno.test("analyze() counts the script of marked forms for pages that import them", () => {
  const form = "node_modules/@framework/cli/form.js";
  const marked = modules.map((each) =>
    each.path === "app/layout.tsx" ? { ...each, imports: [form] } : each
  );
  const scripts = { ...browser.assets.scripts, "@framework/cli/form": ["/_framework/form.js"] };
  const { routes } = analyze([...marked, { path: form, bytes: 1, imports: [] }], {
    root: "/w",
    scan,
    bytes: 151,
    gzipBytes: 75,
    browser: {
      assets: { ...browser.assets, scripts },
      gzipBytes: { ...browser.gzipBytes, "/_framework/form.js": 100 },
    },
  });
  assert.deepEqual(routes.map((each) => each.browserGzipBytes), [0, 120]);
});

Deno.test("analyze() adds up packages, nested and scoped ones too", () => {
  assert.deepEqual(analysis.packages, [
    { name: "@s/p", bytes: 100 },
    { name: "application", bytes: 38 },
    { name: "q", bytes: 1 },
  ]);
  assert.equal(analysis.modules[0]?.name, "node_modules/@s/p/i.js");
});

Deno.test("analysisPage() holds every file as text, and no script", () => {
  const page = analysisPage("<app>", analysis);
  for (const { path } of modules) assert.ok(page.includes(`>${path}: `), path);
  assert.ok(page.includes("<td>/&#60;x&#62;</td>"));
  assert.ok(page.includes("<h1>&#60;app&#62;</h1>"));
  assert.doesNotMatch(page, /<script|https?:/);
});
