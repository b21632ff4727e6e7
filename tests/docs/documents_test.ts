import assert from "node:assert/strict";
import { join } from "node:path";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { typeErrors } from "./check_blocks.ts";
import { COMPARED, GUIDES } from "./guide.ts";
import {
  anchor,
  codeBlocks,
  documents,
  guidePart,
  ownLinks,
  prose,
  readDocument,
} from "./markdown.ts";

const files = await documents();
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await readDocument(file)] as const)),
);

Deno.test("every link of the documents leads to a file and a heading that are there", async () => {
  const lost: string[] = [];
  for (const [file, text] of texts) {
    for (const { target, heading } of ownLinks(file, text)) {
      if (!await exists(join(repositoryRoot, target))) lost.push(`${file}: ${target}`);
      else if (heading !== "") {
        const headings = [...prose(await readDocument(target)).matchAll(/^#+ (.*)$/gm)];
        if (!headings.some(([, title]) => anchor(title!) === heading)) {
          lost.push(`${file}: ${target}#${heading}`);
        }
      }
    }
  }
  assert.deepEqual(lost, []);
});

Deno.test("every file that the threat model names as a test is there and tests something", async () => {
  const named = [...texts.get("SECURITY.md")!.matchAll(/`([\w/]+_test\.tsx?)`/g)];
  assert.ok(named.length > 30);
  for (const [, path] of named) {
    const text = await Deno.readTextFile(join(repositoryRoot, path!)).catch(() => "");
    assert.match(text, /Deno\.test|describe\(|testExample\(|^await test\w+\(/m, path);
  }
});

Deno.test("every guide is in the list of guides", () => {
  const list = texts.get("docs/README.md")!;
  for (
    const file of files.filter((name) => name.startsWith("docs/") && name !== "docs/README.md")
  ) {
    assert.ok(list.includes(`](${file.slice("docs/".length)})`), file);
  }
});

Deno.test("the JSON in the documents is JSON", () => {
  for (const [file, text] of texts) {
    for (const block of codeBlocks(file, text)) {
      if (block.language === "json") JSON.parse(block.text);
    }
  }
});

// Tracks: A-06
Deno.test("every application that a document sets up has a session cookie that no other host can plant", () => {
  const setUps = files.flatMap((file) => codeBlocks(file, texts.get(file)!))
    // A fragment leaves something out.
    .filter(({ text }) =>
      /\b(?:createAuth(?:<[^(]*>)?|defineAuthConfig)\(/.test(text) &&
      /\bproviders: \[|defineAuthConfig\(/.test(text) && /^import /m.test(text) &&
      !text.includes("// …")
    );
  assert.ok(setUps.length > 10);
  for (const { file, line, text } of setUps) {
    assert.match(text, /hostOnly: true/, `${file}:${line}`);
  }
});

/** Documents whose code is installed and checked, by guides_test.ts, and with other frameworks in tests/servers and tests/doors. */
const BUILT = [
  ...COMPARED,
  "docs/servers.md",
  "docs/nextjs.md",
  "docs/sveltekit.md",
  "docs/astro.md",
  "docs/react_router.md",
  "docs/nuxt.md",
  "docs/nuxt_on_cloudflare.md",
];

// Blocks without "ignore" are run, by deno test --doc. Those with it need a server, a worker or an
// application around them: their types are checked here, with the names that the text speaks of.
Deno.test("the code in the documents that cannot run alone has right types", async () => {
  const blocks = files
    .filter((file) => !BUILT.includes(file))
    .flatMap((file) => {
      const text = texts.get(file)!;
      // guides_test.ts checks what a guide has its reader write, as the application that it is.
      const first = GUIDES.includes(file) ? guidePart(text).split("\n").length : 0;
      return codeBlocks(file, text).filter(({ line }) => line >= first);
    })
    .filter(({ ignored, language }) => ignored && /^tsx?$/.test(language));
  assert.ok(blocks.length > 10);
  assert.deepEqual(await typeErrors(blocks), []);
});
