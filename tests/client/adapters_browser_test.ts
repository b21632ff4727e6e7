import assert from "node:assert/strict";
import type { Plugin } from "esbuild";
import { compile } from "svelte/compiler";
import { findChromium } from "../../scripts/chromium.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { isComplaint, launchBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { bundlePage, serveClientSite } from "./client_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

const FOLDER = new URL("adapters/", import.meta.url);

const COMPONENT = `function Greeting() {
  const { status, user } = useAuth();
  return h("p", null, status + " " + (user?.name ?? ""));
}
const root = document.querySelector("#app");
`;

const SVELTE: Plugin = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await Deno.readTextFile(path), { filename: path });
      return { contents: js.code, loader: "js" };
    });
  },
};

const ADAPTERS: Record<string, string> = {
  "react.ts":
    `import { createElement as h } from "react"; import { createRoot } from "react-dom/client";
import { useAuth } from "./react.ts"; ${COMPONENT} createRoot(root).render(h(Greeting));`,
  "preact.ts":
    `import { h, render } from "preact"; import { useAuth } from "./preact.ts"; ${COMPONENT}
render(h(Greeting), root);`,
  "vue.ts": `import { createApp, h } from "vue"; import { useAuth } from "./vue.ts";
createApp({ setup() { const auth = useAuth();
return () => h("p", auth.value.status + " " + (auth.value.user?.name ?? "")); } }).mount("#app");`,
  "hono.ts": `import { createElement as h } from "hono/jsx"; import { render } from "hono/jsx/dom";
import { useAuth } from "./hono.ts"; ${COMPONENT} render(h(Greeting), root);`,
  "Greeting.svelte": `import { mount } from "svelte"; import Greeting from "./Greeting.svelte";
mount(Greeting, { target: document.querySelector("#app") });`,
};

Deno.test("the README shows the adapters as they are tested", async () => {
  const readme = await Deno.readTextFile(`${repositoryRoot}/auth/README.md`);
  for (const name of ["auth.ts", ...Object.keys(ADAPTERS)]) {
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    assert.ok(readme.includes(text.trim()), name);
  }
});

for (const [name, mount] of Object.entries(ADAPTERS)) {
  if (name !== "react.ts" && !inMatrix) continue;
  Deno.test(`${name} shows who is signed in and follows the store`, OPTIONS, async () => {
    const script = `import * as client from "@framework/auth/client";
Object.assign(globalThis, { client }); ${mount}`;
    const site = serveClientSite(await bundlePage(script, [SVELTE]));
    const browser = await launchBrowser();
    const complaints: string[] = [];
    try {
      const page = await browser.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (isComplaint(message)) complaints.push(message.text());
      });
      await page.goto(site.origin);
      await page.getByText("unauthenticated", { exact: true }).waitFor();
      await page.evaluate(`client.signIn("credentials", { name: "ada", redirect: false })`);
      await page.getByText("authenticated ada", { exact: true }).waitFor();
      await page.evaluate(`client.signOut({ redirect: false })`);
      await page.getByText("unauthenticated", { exact: true }).waitFor();
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
      await site.close();
    }
  });
}
