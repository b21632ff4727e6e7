import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import assert from "node:assert/strict";
import * as v from "valibot";
import { z } from "zod";
import { sampleOf } from "./sample.ts";

interface Standard {
  "~standard": { validate(value: unknown): unknown };
}

const node: z.ZodType = z.object({
  name: z.string(),
  get children() {
    return z.array(node);
  },
});

const SCHEMAS: Record<string, [schema: Standard, described: object]> = {
  "zod": ((schema) => [schema, z.toJSONSchema(schema, { io: "input" })])(z.object({
    title: z.string().min(3).max(5),
    email: z.email(),
    id: z.uuid(),
    site: z.url(),
    day: z.iso.date(),
    at: z.iso.datetime(),
    age: z.int().min(18).max(19),
    share: z.number().gt(0).lt(1),
    even: z.number().multipleOf(7).min(10),
    kind: z.enum(["a", "b"]),
    literal: z.literal(7),
    list: z.array(z.string().min(1)).min(2),
    pair: z.tuple([z.string(), z.number()]),
    either: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]),
    both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.boolean() })),
    named: z.record(z.string(), z.number()),
    nothing: z.null(),
    maybe: z.string().nullable(),
    tree: node,
    code: z.string().regex(/^[A-Z]{3}$/),
    optional: z.string().optional(),
    filled: z.string().default("x"),
  })),
  "valibot": ((schema) => [schema, toJsonSchema(schema, { typeMode: "input" })])(v.object({
    title: v.pipe(v.string(), v.minLength(3)),
    email: v.pipe(v.string(), v.email()),
    age: v.pipe(v.number(), v.integer(), v.minValue(18)),
    kind: v.picklist(["a", "b"]),
    list: v.pipe(v.array(v.string()), v.minLength(1)),
  })),
  "arktype": ((schema) => [schema, schema.toJsonSchema()])(
    type({
      title: "string >= 3",
      email: "string.email",
      age: "number.integer >= 18",
      "note?": "string",
    }),
  ),
};

for (const [name, [schema, described]] of Object.entries(SCHEMAS)) {
  for (const isFull of [false, true]) {
    Deno.test(`sampleOf() makes ${isFull ? "all" : "the required"} properties that ${name} accepts`, async () => {
      const value = sampleOf({ ...described }, { isFull });
      const result = await schema["~standard"].validate(value) as { issues?: unknown };
      assert.equal(result.issues, undefined, JSON.stringify([value, result.issues], null, 1));
    });
  }
}

Deno.test("sampleOf() follows references of a document, and takes its examples", () => {
  const root = {
    components: {
      schemas: {
        "a/b": { type: "object", required: ["id"], properties: { id: { example: "n1" } } },
        Both: {
          allOf: [{ $ref: "#/components/schemas/a~1b" }, {
            required: ["n"],
            properties: { n: { type: "integer" } },
          }],
        },
      },
    },
  };
  assert.deepEqual(sampleOf({ $ref: "#/components/schemas/Both" }, { root }), { id: "n1", n: 1 });
});

Deno.test("sampleOf() says why there is no value", () => {
  const endless = {
    $defs: { a: { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/a" } } } },
    $ref: "#/$defs/a",
  };
  assert.throws(() => sampleOf(endless), /contains itself/);
  assert.throws(
    () => sampleOf({ type: "string", pattern: "^x{7}y$" }),
    /no text is known for the pattern \^x\{7\}y\$/,
  );
  assert.throws(() => sampleOf({ $ref: "#/$defs/none" }), /leads nowhere/);
  assert.throws(() => sampleOf({ anyOf: [false] }), /no choice/);
});
