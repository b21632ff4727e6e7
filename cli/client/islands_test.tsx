import { type Child, createContext, Suspense, useContext } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { renderTree } from "../runtime/stream.ts";
import { type DocumentIslands, islandScripts, registerClient, withIslands } from "./islands.ts";
import { jsx } from "./jsx.ts";

function Box({ label, children }: { label?: unknown; children?: Child }): JSX.Element {
  return <div>{String(label ?? "")}{children}</div>;
}

function Pair({ children }: { children?: Child }): JSX.Element {
  return <div>{jsx(Box, { label: "inner" })}{children}</div>;
}

registerClient("app/_components/box.tsx", { Box, size: 3 });
registerClient("app/_components/pair.tsx", { default: Pair });

const assets = {
  scripts: { "app/_components/box.tsx": ["/_framework/box-1.js", "/_framework/shared-2.js"] },
  styles: {},
};

function newDocument(): DocumentIslands {
  return { assets, files: new Set(), sent: false };
}

async function render(node: unknown, document = newDocument()): Promise<string> {
  const tree = withIslands(document, node) as Parameters<typeof renderTree>[0];
  return (await renderTree(tree)).html;
}

const attributes = (src: string, name: string, props: string): string =>
  `<framework-island src="${src}" name="${name}" props="${props}" style="display:contents">`;

Deno.test("jsx() makes an island of a client component, and names its scripts once", async () => {
  const document = newDocument();
  const html = await render(<p>{jsx(Box, { label: 1 })}{jsx(Box, { label: 2 })}</p>, document);
  const start = attributes("/_framework/box-1.js", "Box", "{&quot;label&quot;:1}");
  assert.ok(html.includes(`<p>${start}<div>1</div><!--/--></framework-island>`), html);
  assert.equal(
    islandScripts(document),
    '<link rel="modulepreload" href="/_framework/shared-2.js"/>' +
      '<script type="module" async src="/_framework/box-1.js"></script>',
  );
  assert.equal(islandScripts(newDocument()), "");
});

Deno.test("jsx() leaves a client component inside another one to that one", async () => {
  const html = await render(jsx(Pair, {}));
  assert.equal(html.split("<framework-island").length, 2);
  assert.match(html, /<div><div>inner<\/div><\/div><!--\/--><\/framework-island>/);
});

Deno.test("jsx() keeps children that are markup on the server, with the islands in them", async () => {
  const html = await render(jsx(Pair, { children: <b>{jsx(Box, { label: "deep" })}</b> }));
  assert.match(html, /<framework-slot style="display:contents"><b><framework-island /);
  assert.doesNotMatch(html.slice(0, html.indexOf(">")), /deep|children/);
});

Deno.test("jsx() sends children that are data, and refuses what is neither", async () => {
  const html = await render(jsx(Box, { children: ["a", 1] }));
  assert.match(html, /props="\{&quot;children&quot;:\[&quot;a&quot;,1\]\}"/);
  await assert.rejects(() => render(jsx(Box, { label: () => 1 })), {
    code: "CLIENT_PROP",
    message:
      "The client component <Box> (app/_components/box.tsx) cannot receive the prop label: " +
      "it is a function, which stays on the server. Define it in the component.",
  });
  const ofPage = { ...newDocument(), page: "app/page.tsx" };
  await assert.rejects(() => render(jsx(Box, { label: () => 1 }), ofPage), {
    message: /^The client component <Box> \(app\/_components\/box\.tsx\) on app\/page\.tsx cannot /,
  });
});

// Tracks: R080
Deno.test("jsx() lets no prop end the attribute, the element or a script", async () => {
  const hostile = `"></framework-island><script>alert(1)</script><!--'`;
  const html = await render(jsx(Box, { label: hostile }));
  assert.doesNotMatch(html, /<script|<!--'/);
  assert.equal(html.split("</framework-island>").length, 2);
});

Deno.test("jsx() renders a client component plainly where no document is made", () => {
  assert.equal(String(jsx(Box, { label: 1 })), "<div>1</div>");
});

Deno.test("an island that comes late brings its script along, once", async () => {
  const document = newDocument();
  async function Late(): Promise<JSX.Element> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return <i>{jsx(Box, { label: "late" })}{jsx(Box, { label: "later" })}</i>;
  }
  const tree = withIslands(document, <Suspense fallback={<p>wait</p>}>{jsx(Late, {})}</Suspense>);
  const { late } = await renderTree(tree as Parameters<typeof renderTree>[0]);
  document.sent = true;
  const text = (await Promise.all(late)).join("");
  assert.equal(text.split('<script type="module" async src="/_framework/box-1.js">').length, 2);
  assert.equal(text.split("<framework-island").length, 3);
});

Deno.test("a context of the application's own reaches the components of an island", async () => {
  const Colour = createContext("none");
  function Painted(): JSX.Element {
    return <b>{useContext(Colour)}</b>;
  }
  registerClient("app/_components/painted.tsx", { Painted });
  const html = await render(<Colour.Provider value="red">{jsx(Painted, {})}</Colour.Provider>);
  assert.match(html, /<b>red<\/b>/);
});
