import { Validator } from "@seriousme/openapi-schema-validator";
import assert from "node:assert/strict";
import { framework, frameworkWith } from "../support/command_line.ts";
import { createPackedApp } from "./packed_app.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const page = "export default () => null;\n";

/** Reads what a reference of the document leads to. */
function resolve(document: unknown, reference: string): unknown {
  return reference.replace(/^#\//, "").split("/")
    // deno-lint-ignore no-explicit-any -- any document.
    .reduce((value: any, key) => value?.[key], document);
}

/** Returns every reference in a value. */
function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === "$ref" && typeof each === "string" ? [each] : references(each)
  );
}

Deno.test("routes --openapi describes inputs by zod, valibot and arktype, and lists what it cannot", async () => {
  await using app = await createPackedApp({
    "package.json": JSON.stringify({ name: "shop", version: "1.2.3", type: "module" }),
    "app/page.tsx": `import "./page.css";\n${page}`,
    "app/page.css": "p { color: red }",
    "app/contact/page.tsx": 'import { z } from "zod";\n' +
      "export const input = z.object({ email: z.email() });\nexport const action = () => null;\n" +
      page,
    "app/plain/page.tsx": `export const action = () => null;\n${page}`,
    "app/api/issues/route.ts": `import { env } from "cloudflare:workers";
import { z } from "zod";
console.log(env.DB.prepare("at the top level"));
const Label = z.object({ name: z.string(), get inner() { return z.array(Label) } }).meta({ id: "a label" });
export const input = {
  GET: z.object({ page: z.coerce.number().default(1), tags: z.array(z.string()).optional() }),
  POST: z.object({ title: z.string().min(3), due: z.coerce.date(), labels: z.array(Label) }),
};
export const GET = () => [];
export const POST = () => null;
export const HEAD = () => null;
`,
    "app/api/issues/[id]/route.ts":
      'import * as v from "valibot";\nexport const input = v.object({ done: v.boolean(), at: v.date() });\n' +
      "export const PATCH = () => 1;\nexport const DELETE = () => 1;\n",
    "app/api/tree/[[...path]]/route.ts":
      'import { type } from "arktype";\nexport const input = type({ "size?": "number > 0" });\n' +
      "export const PUT = () => 1;\n",
    "app/api/tree/route.ts":
      'import { z } from "zod";\nexport const input = z.object({ own: z.boolean() });\n' +
      "export const PUT = () => 1;\n",
    "app/api/broken/route.ts": 'throw new Error("no luck today");\nexport const GET = () => 1;\n',
    "app/api/own/route.ts":
      'export const input = { "~standard": { version: 1, vendor: "own", validate: () => ({ value: 1 }) } };\n' +
      "export const POST = () => 1;\n",
    "app/api/stars/route.ts": 'export * from "../issues/route.ts";\n',
  });
  const { code, stdout, stderr } = await framework(app.root, "routes", "--openapi");
  assert.equal(code, 0, stderr);
  const document = JSON.parse(stdout);
  assert.deepEqual([document.openapi, document.info], ["3.1.1", {
    title: "shop",
    version: "1.2.3",
  }]);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  const operations = Object.entries(document.paths as Record<string, Record<string, unknown>>)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  assert.deepEqual(operations.sort(), [
    "delete /api/issues/{id}",
    "get /api/broken",
    "get /api/issues",
    "get /api/stars",
    "patch /api/issues/{id}",
    "post /api/issues",
    "post /api/own",
    "post /api/stars",
    "post /contact",
    "post /plain",
    "put /api/tree",
    "put /api/tree/{path}",
  ]);

  const issues = document.paths["/api/issues"];
  assert.deepEqual(issues.get.parameters, [
    { name: "page", in: "query", required: false, schema: { type: "number", default: 1 } },
    {
      name: "tags[]",
      in: "query",
      required: false,
      schema: { type: "array", items: { type: "string" } },
    },
  ]);
  const { schemas } = document.components;
  const label = { $ref: "#/components/schemas/PostApiIssues_a_32_label" };
  assert.deepEqual(schemas.PostApiIssues, {
    type: "object",
    properties: {
      title: { type: "string", minLength: 3 },
      due: {},
      labels: { type: "array", items: label },
    },
    required: ["title", "due", "labels"],
  });
  assert.deepEqual(schemas.PostApiIssues_a_32_label.properties.inner, {
    type: "array",
    items: label,
  });
  assert.deepEqual(Object.keys(issues.post.requestBody.content), [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
  ]);
  assert.ok(issues.post.responses["422"]);
  const patch = document.paths["/api/issues/{id}"].patch;
  assert.deepEqual(patch.parameters, [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
  ]);
  assert.deepEqual(schemas.PatchApiIssuesId.properties.done, { type: "boolean" });
  assert.deepEqual(schemas.PutApiTreePath.properties.size, { type: "number", exclusiveMinimum: 0 });
  assert.equal(
    document.paths["/api/tree"].put.requestBody.content["application/json"].schema.$ref,
    "#/components/schemas/PutApiTree",
  );
  assert.equal(schemas.PostContact.properties.email.format, "email");
  for (const each of references(document)) assert.ok(resolve(document, each), each);

  const reasonOf = (path: string, method: string) => document.paths[path][method]["x-undescribed"];
  assert.equal(reasonOf("/api/issues", "post"), undefined);
  assert.equal(reasonOf("/plain", "post"), "The file exports no input.");
  assert.match(reasonOf("/api/issues/{id}", "delete"), /no input for DELETE/);
  assert.equal(reasonOf("/api/broken", "get"), "The file cannot be loaded.");
  assert.equal(reasonOf("/api/own", "post"), "The schema cannot be described.");
  assert.match(stderr, /The file cannot be loaded\. no luck today/);
  assert.match(stderr, /cannot be described\. This version of own describes no schemas/);
  for (const operation of ["POST /plain", "GET /api/broken", "POST /api/own"]) {
    assert.match(stderr, new RegExp(`${operation} is not described \\(app/`));
  }
  assert.doesNotMatch(stderr + stdout, /top level/);
});

Deno.test("routes --openapi names what does not bundle, and valibot's package when it is missing", async () => {
  await using app = await createPackedApp({
    "app/page.tsx": page,
    "app/api/route.ts":
      'import * as v from "valibot";\nexport const input = v.object({});\nexport const POST = () => 1;\n',
  });
  await app.remove("node_modules/@valibot/to-json-schema");
  const { code, stderr } = await framework(app.root, "routes", "--openapi");
  assert.equal(code, 0);
  assert.match(stderr, /POST \/api is not .*: .* @valibot\/to-json-schema.*is not installed$/m);

  await app.write("app/api/route.ts", 'import "left-pad";\nexport const POST = () => 1;\n');
  const broken = await framework(app.root, "routes", "--openapi");
  assert.equal(broken.code, 3, broken.stderr);
  assert.match(broken.stderr, /app\/api\/route\.ts:1:8 Could not resolve "left-pad"/);
});

// Tracks: R196
Deno.test("routes --openapi publishes nothing of the server, of this machine, and of secret fields", async () => {
  await using app = await createPackedApp({
    "app/page.tsx": page,
    "app/admin/page.tsx": page,
    "app/admin/middleware.ts": "export const middleware = (_request, next) => next();\n",
    "app/auth/config.ts":
      'import { defineAuth } from "@framework/auth/convention";\nexport default defineAuth({});\n',
    "app/api/zod/route.ts": `import process from "node:process";
import { z } from "zod";
export const internal = z.string().regex(/^hidden-internal-/).default("hidden-internal-1");
const Key = z.string().default("hidden-key").meta({ id: "Key", examples: ["hidden-example"] });
export const input = z.object({
  region: z.string().default("eu").meta({ title: "Region", owner: "hidden-owner" }),
  machine: z.string().default(() => String(process.env.HIDDEN_VARIABLE ?? globalThis.process?.env.HIDDEN_VARIABLE)),
  password: z.string().regex(/^hidden-pattern$/).describe("Fifteen characters"),
  invite_token: z.literal("hidden-literal"),
  card: z.object({ pin: z.enum(["hidden-enum"]).default("hidden-enum") }),
  apiKey: Key.optional(),
  nested: z.object({ secret: z.object({ deep: z.string().default("hidden-deep") }) }),
  label: z.string().meta({ id: "a/b c" }),
}).meta({ $comment: "hidden-comment" });
export const POST = () => 1;
`,
    "app/api/valibot/route.ts": `import * as v from "valibot";
export const input = v.object({
  region: v.optional(v.pipe(v.string(), v.metadata({ owner: "hidden-owner" })), "eu"),
  password: v.optional(v.pipe(v.string(), v.regex(/^hidden-pattern$/)), "hidden-default"),
  pwd: v.literal("hidden-literal"),
});
export const POST = () => 1;
`,
    "app/api/arktype/route.ts": `import { type } from "arktype";
export const input = type({
  region: "string = 'eu'",
  password: /^hidden-pattern$/,
  otp: "'hidden-literal'",
  token: "string = 'hidden-default'",
});
export const POST = () => 1;
`,
    "app/api/broken/route.ts":
      'throw new Error("hidden-error at " + import.meta.url);\nexport const POST = () => 1;\n',
  });
  const env = { HIDDEN_VARIABLE: "hidden-variable" };
  const { code, stdout } = await frameworkWith({ cwd: app.root, env }, "routes", "--openapi");
  assert.equal(code, 0);
  const document = JSON.parse(stdout);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  assert.deepEqual(stdout.match(/hidden-[a-z-]+/g), null);
  assert.ok(!stdout.includes(app.root) && !stdout.includes("app/"));
  assert.deepEqual(Object.keys(document.paths).sort(), [
    "/api/arktype",
    "/api/broken",
    "/api/valibot",
    "/api/zod",
  ]);
  for (const each of references(document)) assert.ok(resolve(document, each), each);
  const { PostApiZod: { properties }, PostApiValibot, PostApiArktype } =
    document.components.schemas;
  assert.deepEqual(properties.region, { type: "string", default: "eu", title: "Region" });
  assert.deepEqual(properties.password, { type: "string", description: "Fifteen characters" });
  assert.equal(PostApiValibot.properties.region.default, "eu");
  // arktype describes no defaults of what is sent.
  assert.deepEqual(PostApiArktype.properties, {
    region: { type: "string" },
    password: { type: "string" },
    otp: {},
    token: { type: "string" },
  });
});
