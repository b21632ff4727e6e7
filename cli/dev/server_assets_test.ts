import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerBuiltAsset } from "./server.ts";

interface Answer {
  status?: number;
  headers?: Record<string, unknown>;
  body?: string;
}

async function ask(folder: string, url: string, method = "GET"): Promise<Answer | null> {
  const answer: Answer = {};
  const response = {
    writeHead: (status: number, headers: Record<string, unknown>) =>
      Object.assign(answer, { status, headers }),
    end: (body?: Uint8Array) => void (body && (answer.body = new TextDecoder().decode(body))),
  } as unknown as ServerResponse;
  const request = { url, method } as IncomingMessage;
  return await answerBuiltAsset(request, response, folder) ? answer : null;
}

// Tracks: R157
Deno.test("answerBuiltAsset() serves what was built, and no other file", async () => {
  const root = await mkdtemp(join(tmpdir(), "assets-"));
  try {
    const folder = join(root, "assets");
    await mkdir(join(folder, "_framework"), { recursive: true });
    await writeFile(join(folder, "_framework/app-page.css"), "p {}");
    await writeFile(join(root, "secret.txt"), "secret");
    await writeFile(join(folder, "secret.txt"), "secret");
    const found = await ask(folder, "/_framework/app-page.css?revision=2");
    assert.deepEqual([found?.status, found?.body], [200, "p {}"]);
    assert.equal(found?.headers?.["content-type"], "text/css; charset=utf-8");
    assert.deepEqual((await ask(folder, "/_framework/app-page.css", "HEAD"))?.body, undefined);
    await writeFile(join(folder, "_framework/my logo@2x-1.svg"), "<svg/>");
    const image = await ask(folder, "/_framework/my%20logo@2x-1.svg");
    assert.equal(image?.headers?.["content-type"], "image/svg+xml");
    assert.match(String(image?.headers?.["content-security-policy"]), /(^|; )sandbox$/);
    for (
      const url of [
        "/_framework/../secret.txt",
        "/_framework/..%2fsecret.txt",
        "/_framework/%2e%2e/secret.txt",
        "/_framework/../../secret.txt",
        "/_framework/..\\secret.txt",
        "/_framework/app-page.css/",
        "/_framework/%2e%2e%5csecret.txt",
        "/_framework/a%00/../../secret.txt",
        "/_framework/%.css",
        "/_framework/none.css",
        "/_framework/",
        "/_framework",
        "/secret.txt",
      ]
    ) {
      assert.equal(await ask(folder, url), null, url);
    }
    assert.equal(await ask(folder, "/_framework/app-page.css", "POST"), null);
  } finally {
    await rm(root, { recursive: true });
  }
});
