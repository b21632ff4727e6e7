import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasAuth } from "../app/entry.ts";
import { scanApp } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Segment } from "../runtime/pattern.ts";
import type { RouteName } from "./name.ts";
import type { PlannedFile } from "./plan.ts";
import { lines } from "./source_text.ts";

const testName = "guarded.test.ts";

/**
 * Plans the test that asks every route as those whom it must refuse. It names no route: until the application says for
 * whom each of them is, it fails with the list of them.
 */
export async function planGuards({ root, appDir }: ProjectConfig): Promise<PlannedFile[]> {
  const { auth, routes } = await scanApp(appDir);
  const names = new Set(
    routes.flatMap(({ segments }) =>
      segments.flatMap((segment) => segment.kind === "static" ? [] : [segment.name])
    ),
  );
  const key = (name: string) => /^\w+$/.test(name) ? name : JSON.stringify(name);
  const params = [...names].map((name) => `      ${key(name)}: "1",`);
  const text = lines([
    'import { assertGuarded, createTestContext } from "@framework/testing";',
    'import { it } from "vitest";',
    "",
    "// It asks on copies of all data, which the bindings of the worker pool (`framework test --pool`) do not have.",
    'const inPool = navigator.userAgent === "Cloudflare-Workers";',
    "",
    'it.skipIf(inPool)("guards every route that is not for everybody", async () => {',
    "  await using ctx = await createTestContext();",
    ...(hasAuth(auth)
      ? [
        "  // A user who may use all routes: give the roles, and insert what the paths name.",
        '  const owner = await ctx.withAuth({ userId: "owner" });',
        "",
        "  await assertGuarded(owner, {",
      ]
      : ["  await assertGuarded(ctx, {"]),
    "    public: [],",
    "    signedIn: [],",
    ...(params.length === 0 ? [] : ["    params: {", ...params, "    },"]),
    "  });",
    "});",
  ]);
  return [{ path: join(root, "tests", testName), text, within: root }];
}

/**
 * Plans to name a new route in that test, where a project has it, as one for everybody: which it is, unless a middleware
 * stands before it.
 */
export function planPublicRoute(
  { folders, segments }: RouteName,
  { root, appDir }: ProjectConfig,
): PlannedFile[] {
  const path = join(root, "tests", testName);
  const isBehind = ["", ...folders].some((_, depth) =>
    existsSync(join(appDir, ...folders.slice(0, depth), "middleware.ts"))
  );
  if (isBehind || !existsSync(path)) return [];
  const before = readFileSync(path, "utf8");
  const entry = JSON.stringify(`/${segments.map(folderOf).join("/")}`);
  if (before.includes(entry)) return [];
  const text = before.replace(
    /(\bpublic: \[)(\n\s*)?(\])?/,
    (_, open: string, line: string | undefined, end: string | undefined) =>
      line === undefined
        ? `${open}${entry}${end ?? ", "}`
        : `${open}${line}${entry},${line}${end ?? ""}`,
  );
  return text === before ? [] : [{ path, text, within: join(root, "tests"), edited: true }];
}

function folderOf(segment: Segment): string {
  if (segment.kind === "static") return segment.value;
  if (segment.kind === "param") return `[${segment.name}]`;
  return segment.kind === "rest" ? `[...${segment.name}]` : `[[...${segment.name}]]`;
}
