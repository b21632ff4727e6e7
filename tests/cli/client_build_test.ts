import assert from "node:assert/strict";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { createFixtureApp } from "./fixture_app.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const button = `"use client";
import { useState } from "hono/jsx";
export function Button() {
  const [count, setCount] = useState(0);
  return <button type="button" onClick={() => setCount(count + 1)}>{count}</button>;
}`;

type Case = [what: string, files: Record<string, string>, message: RegExp];

/** Builds an application with the files of all cases, and holds what the build says to each. */
async function refuses(t: Deno.TestContext, cases: readonly Case[]): Promise<void> {
  await using app = await createFixtureApp(
    Object.assign({}, ...cases.map(([, files]) => files)),
  );
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 3, stderr);
  for (const [what, , message] of cases) {
    await t.step(what, () => assert.match(stderr, message));
  }
}

Deno.test("framework build refuses a package that is not installed", (t) =>
  refuses(t, [
    [
      "in a page",
      { "app/page.tsx": 'import "left-pad";\nexport default () => <p/>;' },
      /app\/page\.tsx:1:8 Could not resolve "left-pad"\n(?!.*external)[^]*[ :]left-pad`, or correct the name\./,
    ],
  ]));

Deno.test("framework build refuses at once what cannot be a client component", (t) =>
  refuses(t, [
    [
      "a page that begins with it",
      { "app/page.tsx": '"use client";\nexport default () => <p/>;' },
      /app\/page\.tsx.*It cannot begin with "use client", because it is a page, which the server renders[^]*a separate component/,
    ],
    [
      "one outside of the application's folder",
      {
        "app/other/page.tsx":
          'import { Button } from "../../shared/button.tsx";\nexport default () => <Button/>;',
        "shared/button.tsx": button,
      },
      /shared\/button\.tsx.*is outside of the application folder[^]*app\/_components/,
    ],
  ]));

// Tracks: AB-18
Deno.test("framework build refuses at once what client components import that servers alone have", (t) =>
  refuses(t, [
    [
      "what only servers have, imported by one",
      {
        "app/_components/node.tsx":
          '"use client";\nimport { readFileSync } from "node:fs";\nexport const Button = () => <p>{readFileSync("x", "utf8")}</p>;',
      },
      /app\/_components\/node\.tsx:2:30 .*node:fs/,
    ],
    [
      "the library's server side, imported by one",
      {
        "app/page.tsx":
          'import { Who } from "./_components/who.tsx";\nexport default () => <Who/>;',
        "app/_components/who.tsx":
          '"use client";\nimport { getUser } from "@framework/auth";\nexport const Who = () => <p>{getUser()?.name}</p>;',
      },
      /app\/_components\/who\.tsx:2:25 .*runs in the browser \("use client"\) and imports @framework\/auth, which needs node:\w+, and that is available on the server only[^]*@framework\/auth\/client/,
    ],
  ]));

Deno.test("framework build refuses at once all that a file which runs in the browser may not import", (t) =>
  refuses(t, [
    [
      "a page imported by one",
      {
        "app/page.tsx": "export const secret = 1;\nexport default () => <p/>;",
        "app/_components/secret.tsx":
          '"use client";\nimport { secret } from "../page.tsx";\nexport const Button = () => <p>{secret}</p>;',
      },
      /runs in the browser imports app\/page\.tsx, which is a page and runs on the server[^]*import type/,
    ],
    [
      "a route imported by a client of the API, by its value",
      {
        "app/api/notes/route.ts": "export const names = [1];\nexport const GET = () => names;",
        "app/_api.ts": 'import * as notes from "./api/notes/route.ts";\n' +
          'import { createApiClient } from "@framework/cli/api";\n' +
          'export const api = createApiClient<{ "/api/notes": typeof notes }>();\n' +
          "export const count = notes.names.length;",
        "app/_components/route.tsx":
          '"use client";\nimport { api, count } from "../_api.ts";\nexport const Button = () => <p onClick={() => api.GET("/api/notes")}>{count}</p>;',
      },
      /runs in the browser imports app\/api\/notes\/route\.ts, which is a route and runs on the server[^]*app\/_components\/route\.tsx imports it through app\/_api\.ts\.[^]*import type/,
    ],
    [
      "a file of a folder _server, imported through another one",
      {
        "app/_server/words.ts":
          'import { more } from "./more.ts";\nexport const words = ["a", more];',
        "app/_server/more.ts": 'export const more = "b";',
        "app/_lib/count.ts":
          'import { words } from "../_server/words.ts";\nexport const count = words.length;',
        "app/_components/server_folder.tsx":
          '"use client";\nimport { count } from "../_lib/count.ts";\nexport const Button = () => <p>{count}</p>;',
      },
      /^(?![^]*more\.ts)[^]*app\/_lib\/count\.ts.* A file that runs in the browser imports app\/_server\/words\.ts, which runs on the server by its name\.[^]*app\/_components\/server_folder\.tsx imports it through app\/_lib\/count\.ts\.[^]*import type/,
    ],
    [
      "a file whose name ends with .server.ts",
      {
        "app/prices.server.ts": "export const price = 3;",
        "app/_components/server_name.tsx":
          '"use client";\nimport { price } from "../prices.server.ts";\nexport const Button = () => <p>{price}</p>;',
      },
      /app\/_components\/server_name\.tsx.* A file that runs in the browser imports app\/prices\.server\.ts/,
    ],
  ]));

Deno.test("framework build names scripts and stylesheets after their content, each with what it needs", async () => {
  await using app = await createFixtureApp({
    "tsconfig.json": '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "hono/jsx" } }',
    "app/page.tsx":
      'import { Button } from "./_components/button.tsx";\nimport "./a.css";\nexport default () => <Button/>;',
    "app/plain/page.tsx": "export default () => <p/>;",
    "app/_components/button.tsx": button,
    "app/a.css": '@import "./b.css";\n.a { background: url(./dot.svg) }',
    "app/b.css": ".b { background: url(/public.svg) }",
    "app/dot.svg": "<svg/>",
    "public/public.svg": "<svg/>",
    "public/_headers": "/public.svg\n  X-Own: yes\n",
  });
  const assets = async (): Promise<string[]> => {
    const { code, stderr } = await framework(app.root, "build");
    assert.equal(code, 0, stderr);
    return [...Deno.readDirSync(join(app.root, "dist/assets/_framework"))].map(({ name }) => name)
      .sort();
  };
  const first = await assets();
  assert.match(
    first.join(" "),
    /^app-a-\w{8}\.css app-components-button-\w{8}\.js dot-\w{8}\.svg$/,
  );
  const read = (name: string): Promise<string> =>
    Deno.readTextFile(join(app.root, "dist/assets", name));
  assert.match(
    await read(`_framework/${first[0]}`),
    /\.b\{.*public\.svg.*\}[^]*\.a\{.*\/_framework\/dot-\w{8}\.svg/,
  );
  assert.match(await read("_headers"), /X-Own: yes[^]*\/_framework\/\*[^]*immutable/);
  assert.doesNotMatch(await read(`_framework/${first[1]}`), /hono|sourceMappingURL/);

  const { default: worker } = await import(`file://${join(app.root, "dist/worker.js")}`);
  const ask = async (path: string): Promise<string> =>
    await (await worker.fetch(new Request(`http://localhost${path}`), {})).text();
  const html = await ask("/");
  assert.ok(
    html.includes(`href="/_framework/${first[0]}"`) &&
      html.includes(`src="/_framework/${first[1]}"`),
  );
  assert.doesNotMatch(await ask("/plain"), /_framework/);

  await app.write("app/b.css", ".b { color: red }");
  const second = await assets();
  assert.notEqual(second[0], first[0]);
  assert.deepEqual(second.slice(1), first.slice(1));
});
