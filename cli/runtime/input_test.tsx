import { type } from "arktype";
import assert from "node:assert/strict";
import * as v from "valibot";
import { z } from "zod";
import { createApplication } from "./application.ts";
import { errorProps, fieldProps } from "./form.ts";
import { readInput } from "./input.ts";
import { invalid } from "./invalid_input.ts";
import type { ManifestRoute } from "./manifest.ts";
import { data } from "./results.ts";
import type { Schema } from "./schema.ts";
import type { ActionArgs, PageProps, RequestContext } from "./types.ts";

type Module = Record<string, unknown>;

const ORIGIN = "http://localhost";

function start(module: Module) {
  const errors: unknown[] = [];
  const route: ManifestRoute = {
    kind: "default" in module ? "page" : "route",
    pattern: "/",
    file: "app/file",
    module,
    layouts: [],
    middleware: [],
  };
  const { worker } = createApplication(
    { database: "DB", dev: false, auth: null, routes: [route], input: readInput },
    { onError: (error) => errors.push(error) },
  );
  async function send(
    body: BodyInit | undefined,
    { path = "/", ...init }: RequestInit & { path?: string } = {},
  ) {
    const headers = new Headers({ origin: ORIGIN, ...init.headers as Record<string, string> });
    const request = new Request(ORIGIN + path, {
      method: "POST",
      ...init,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const response = await worker.fetch(request, {});
    const text = await response.text();
    assert.deepEqual(errors, []);
    return { status: response.status, headers: response.headers, text };
  }
  async function json(value: unknown, init: RequestInit & { path?: string } = {}) {
    const { status, text } = await send(
      typeof value === "string" ? value : JSON.stringify(value),
      { ...init, headers: { "content-type": "application/json", ...init.headers } },
    );
    return { status, body: JSON.parse(text) };
  }
  return { send, json };
}

const form = (fields: [string, string][]) => new URLSearchParams(fields);

/** The same schema by each library, with a check that takes a moment. */
const libraries: Record<string, Schema> = {
  zod: z.object({
    title: z.string().min(3, "Too short."),
    due: z.coerce.number(),
    tags: z.array(z.string().max(3, "Too long.")).optional(),
  }).refine(async ({ title }) => await Promise.resolve(title !== "taken"), {
    path: ["title"],
    message: "Taken.",
  }),
  valibot: v.pipeAsync(
    v.object({
      title: v.pipe(v.string(), v.minLength(3, "Too short.")),
      due: v.pipe(v.union([v.string(), v.number()]), v.transform(Number)),
      tags: v.optional(v.array(v.pipe(v.string(), v.maxLength(3, "Too long.")))),
    }),
    v.forwardAsync(
      v.checkAsync(async ({ title }) => await Promise.resolve(title !== "taken"), "Taken."),
      ["title"],
    ),
  ),
};

for (const [library, input] of Object.entries(libraries)) {
  Deno.test(`input by ${library}: the handler gets what the schema makes of a form and of JSON`, async () => {
    const { send, json } = start({
      input,
      POST: (_: Request, context: RequestContext) => context.input,
    });
    const expected = { title: "Paint", due: 7, tags: ["a", "b"] };
    const sent = await send(form([["title", "Paint"], ["due", "7"], ["tags", "a"], ["tags", "b"]]));
    assert.deepEqual(JSON.parse(sent.text), expected);
    assert.deepEqual(await json(expected), { status: 200, body: expected });
  });

  Deno.test(`input by ${library}: mistakes are a 422 with messages by field, before the code runs`, async () => {
    let calls = 0;
    const { json } = start({ input, POST: () => void calls++ });
    assert.deepEqual(await json({ title: "x", due: 1, tags: ["fine but long", "b"] }), {
      status: 422,
      body: {
        code: "INVALID_INPUT",
        message: "Some of the fields are not valid. Please correct them.",
        fields: { title: ["Too short."], "tags[0]": ["Too long."] },
      },
    });
    const taken = await json({ title: "taken", due: 1 });
    assert.deepEqual([taken.status, taken.body.fields], [422, { title: ["Taken."] }]);
    assert.equal(calls, 0);
  });
}

Deno.test("input by arktype: a schema that is a function", async () => {
  const { json } = start({
    input: type({ email: "string.email", "tags?": "string[]" }),
    POST: (_: Request, context: RequestContext) => context.input,
  });
  const body = { email: "ada@example.com", tags: ["a"] };
  assert.deepEqual(await json(body), { status: 200, body });
  const refused = await json({ email: "ada", tags: ["a", 1] });
  assert.equal(refused.status, 422);
  assert.deepEqual(Object.keys(refused.body.fields), ["email", "tags[1]"]);
});

const Signup = z.object({
  email: z.email("Please enter an address."),
  password: z.string().min(15, "At least 15 characters."),
  _code: z.string().length(6, "Six digits."),
  photo: z.file().max(10, "The file is too large.").optional(),
});
type Signup = typeof Signup;

function SignupPage({ form, actionData }: PageProps) {
  return (
    <form method="post">
      {form && <p role="alert">{form.message}</p>}
      {actionData && <p role="status">{actionData.saved}</p>}
      <input {...fieldProps(form, "email", { type: "email" })} />
      <b {...errorProps(form, "email")} />
      <input {...fieldProps(form, "password", { type: "password" })} />
      <b {...errorProps(form, "password")} />
      <input {...fieldProps(form, "_code")} />
    </form>
  );
}

const signup = {
  input: Signup,
  action: ({ context }: ActionArgs<"/", Signup>) => {
    const { email, photo } = context.input;
    if (email === "taken@example.com") invalid({ email: "This address is <taken>." });
    return { saved: `${email} ${photo?.name ?? "without"}` };
  },
  default: SignupPage,
};

Deno.test("a form that is refused is shown again with what was typed, without secrets", async () => {
  const { send } = start(signup);
  const fields = form([["email", 'ada"@'], ["password", "hunter2"], ["_code", "123"]]);
  const { status, text } = await send(fields);
  assert.equal(status, 422);
  assert.match(
    text,
    /<input id="email" name="email" type="email" value="ada&quot;@" aria-invalid="true" aria-describedby="email-error"\/>/,
  );
  assert.match(text, /<b id="email-error">Please enter an address\.<\/b>/);
  assert.match(text, /<b id="password-error">At least 15 characters\.<\/b>/);
  assert.doesNotMatch(text, /hunter2|123/);
});

Deno.test("a form that is accepted reaches the action, with its file", async () => {
  const { send } = start(signup);
  const body = new FormData();
  body.set("email", "ada@example.com");
  body.set("password", "a few words are easiest");
  body.set("_code", "123456");
  body.set("photo", new File([], ""));
  assert.match((await send(body)).text, /<p role="status">ada@example\.com without<\/p>/);
  body.set("photo", new File(["small"], "me.png"));
  assert.match((await send(body)).text, /ada@example\.com me\.png/);
  body.set("photo", new File(["x".repeat(11)], "me.png"));
  const { status, text } = await send(body);
  assert.equal(status, 422);
  assert.doesNotMatch(text, /me\.png/);
});

Deno.test("invalid() of an action shows the form with its values; clients of JSON get JSON", async () => {
  const { send } = start(signup);
  const fields: [string, string][] = [
    ["email", "taken@example.com"],
    ["password", "a few words are easiest"],
    ["_code", "123456"],
  ];
  const page = await send(form(fields));
  assert.equal(page.status, 422);
  assert.match(page.text, /value="taken@example\.com"/);
  assert.match(page.text, /This address is &lt;taken&gt;\./);
  const answer = await send(form(fields), { headers: { accept: "application/json" } });
  assert.equal(answer.status, 422);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(JSON.parse(answer.text).fields, { email: ["This address is <taken>."] });
});

Deno.test("methods have schemas of their own; GET, HEAD and DELETE read the query", async () => {
  const { send, json } = start({
    input: {
      GET: z.object({ page: z.coerce.number().int() }),
      DELETE: z.object({ id: z.string() }),
      PUT: z.object({ title: z.string() }),
    },
    GET: (_: Request, { input }: RequestContext) => input,
    DELETE: (_: Request, { input }: RequestContext) => input,
    PUT: (_: Request, { input }: RequestContext) => input,
    POST: (_: Request, { input }: RequestContext) => ({ input: input === undefined }),
  });
  const get = { method: "GET" };
  assert.equal((await send(undefined, { ...get, path: "/?page=2" })).text, '{"page":2}');
  assert.equal((await send(undefined, { ...get, path: "/?page=x" })).status, 422);
  assert.equal((await send(undefined, { method: "HEAD", path: "/?page=x" })).status, 422);
  const deleted = await send(undefined, { method: "DELETE", path: "/?id=7" });
  assert.equal(deleted.text, '{"id":"7"}');
  assert.deepEqual((await json({ title: "a", more: 1 }, { method: "PUT" })).body, { title: "a" });
  assert.deepEqual((await json({ any: 1 })).body, { input: true });
});

Deno.test("a single schema of a route is for its bodies: GET and DELETE are as they were", async () => {
  const { send } = start({
    input: z.object({ title: z.string() }),
    GET: () => "all",
    DELETE: () => "gone",
    POST: () => "made",
  });
  assert.equal((await send(undefined, { method: "GET" })).text, '"all"');
  assert.equal((await send(undefined, { method: "DELETE" })).text, '"gone"');
  assert.equal((await send("{}", { headers: { "content-type": "application/json" } })).status, 422);
});

const anything = { input: z.looseObject({}), POST: (_: Request, c: RequestContext) => c.input };

for (
  const [what, body, contentType, status] of [
    ["malformed JSON", '{"title":', "application/json", 400],
    ["an empty body", "", "application/json", 400],
    ["JSON with a prototype", '{"a":{"__proto__":{"admin":true}}}', "application/json", 400],
    ["the same in escapes", '{"\\u005f_proto\\u005F_":{}}', "application/json", 400],
    ["the same with another letter", '{"__\\u0070roto__":{}}', "application/json", 400],
    ["JSON with a constructor", '{"constructor":{"prototype":{"a":1}}}', "application/json", 400],
    ["it in escapes", '{"constructor":{"\\u0070rototype":1}}', "application/json", 400],
    ["it in a form", "constructor.prototype.admin=1", "application/x-www-form-urlencoded", 400],
    ["JSON that is too deep", "[".repeat(101) + "]".repeat(101), "application/json", 400],
    ["JSON of 300,000 levels", "[".repeat(300_000), "application/json", 400],
    ["JSON as text", '{"title":"a"}', "text/plain", 415],
    ["a form without a type", "title=a", "", 415],
    ["JSON in a type that only looks like it", "{}", "application/jsonp", 415],
    ["a multipart form without its boundary", "x", "multipart/form-data", 400],
    ["a prototype in a form", "__proto__.admin=1", "application/x-www-form-urlencoded", 400],
    ["the same below", "a.__proto__.admin=1", "application/x-www-form-urlencoded", 400],
    ["the name alone", "__proto__=1", "application/x-www-form-urlencoded", 400],
    ["a list with a gap", "a[9999]=1", "application/x-www-form-urlencoded", 400],
    ["a list that is a text", "a=1&a.b=2", "application/x-www-form-urlencoded", 400],
    ["a text that is a list", "a.b=2&a=1", "application/x-www-form-urlencoded", 400],
    ["nested names", `a${".b".repeat(20)}=1`, "application/x-www-form-urlencoded", 400],
    ["a body above the limit", `{"a":"${"x".repeat(1024 * 1024)}"}`, "application/json", 413],
  ] as const
) {
  Deno.test(`input refuses ${what} with ${status}`, async () => {
    const { send } = start(anything);
    const headers: Record<string, string> = contentType === ""
      ? {}
      : { "content-type": contentType };
    const bytes = new TextEncoder().encode(body);
    const answer = await send(bytes, { headers });
    assert.equal(answer.status, status, answer.text);
    assert.doesNotMatch(answer.text, /admin|\.b\.b/);
  });
}

// Tracks: R154
Deno.test("names that objects have already are ordinary ones", async () => {
  const { json, send } = start(anything);
  const body = { constructor: { x: 1 }, prototype: "b", toString: "a", hasOwnProperty: 1 };
  assert.deepEqual((await json(JSON.stringify(body))).body, body);
  const sent = await send(form([["constructor.x", "1"], ["toString", "a"]]));
  assert.deepEqual(JSON.parse(sent.text), { constructor: { x: "1" }, toString: "a" });
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
  const strict = start({ input: z.record(z.string(), z.number()), POST: () => 1 });
  const refused = await strict.json('{"constructor":"a"}');
  assert.deepEqual(Object.keys(refused.body.fields), ["constructor"]);
});

// Tracks: R169
Deno.test("a form has at most 1,000 fields, and a response names 100 mistakes", async () => {
  const fields = "a=1&".repeat(1000);
  const { send } = start({
    input: z.object({ a: z.array(z.string().min(2, "Short.")) }),
    POST: () => 1,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status, text } = await send(fields, { headers });
  assert.equal(status, 422);
  assert.equal(Object.keys(JSON.parse(text).fields).length, 100);
  assert.equal((await send(`${fields}a=1`, { headers })).status, 400);
});

/** A schema that refuses everything with the given messages, as libraries write them. */
function refusing(messages: readonly string[], path: string[] = ["password"]): Schema {
  const issues = messages.map((message) => ({ message, path: path.map((key) => ({ key })) }));
  return { "~standard": { version: 1, vendor: "refusing", validate: () => ({ issues }) } };
}

Deno.test("a message that quotes a secret is replaced", async () => {
  const { send } = start({ ...signup, input: refusing(['must be longer (was "hunter2")']) });
  const { text } = await send(form([["password", "hunter2"]]));
  assert.match(text, /<b id="password-error">This value is not valid\.<\/b>/);
  assert.doesNotMatch(text, /hunter2/);
});

const Account = type({ "email?": "string.email", password: /^[0-9]{30}$/, "pin?": /^[0-9]{9}$/ });

Deno.test.each([
  [{ password: "hunter2" }, "hunter2"],
  [{ password: 'a"hun\\ter\n"d' }, "hun"],
  [{ password: "hunter2", pin: "123" }, "123"],
  [{ password: { nested: ["hunter2"] } }, "hunter2"],
  [{ password: 123456789 }, "123456789"],
])("messages about %j quote no secret: JSON and arktype", async (value, secret) => {
  const { json } = start({ input: type({ user: Account }), POST: () => 1 });
  const { status, body } = await json({ user: value });
  assert.equal(status, 422);
  assert.ok(!Object.values(body.fields).join("").includes(secret), JSON.stringify(body));
});

Deno.test.each([
  ["PassWord1", '"password1" is too common'],
  [" hunter2 ", 'was "hunter2"'],
  ["a".repeat(40), `was "${"a".repeat(20)}…"`],
])("a message that quotes the secret %j otherwise is replaced", async (password, message) => {
  const { json } = start({ input: refusing([message]), POST: () => 1 });
  const { body } = await json({ password });
  assert.deepEqual(body.fields, { password: ["This value is not valid."] });
});

Deno.test("a short secret replaces no message that happens to contain its letters", async () => {
  const { json } = start({ input: refusing(["At least 15 characters."]), POST: () => 1 });
  const { body } = await json({ password: "a", pin: 5 });
  assert.deepEqual(body.fields, { password: ["At least 15 characters."] });
});

// Tracks: R155
Deno.test("messages are compared with secrets in a time that no request decides", async () => {
  const messages = Array.from({ length: 100 }, () => "x".repeat(450));
  messages.splice(0, 50, ...Array(50).fill("y".repeat(100_000)));
  const { json, send } = start({ input: refusing(messages), POST: () => 1 });
  let compared = 0;
  const { has } = Set.prototype;
  const { includes } = String.prototype;
  Set.prototype.has = function (value) {
    compared++;
    return has.call(this, value);
  };
  String.prototype.includes = function (text, from) {
    compared += this.length;
    return includes.call(this, text, from);
  };
  const counts: number[] = [];
  try {
    for (const count of [100, 900]) {
      compared = 0;
      const fields = Array.from({ length: count }, (_, index) => [`_${index}`, `secret${index}`]);
      assert.equal((await send(form(fields as [string, string][]))).status, 422);
      counts.push(compared);
      compared = 0;
      assert.equal((await json(Object.fromEntries(fields))).status, 422);
      counts.push(compared);
    }
  } finally {
    Set.prototype.has = has;
    String.prototype.includes = includes;
  }
  assert.ok(Math.max(...counts) < 500_000, counts.join(" "));
});

// Tracks: R169
Deno.test("a response repeats neither a long message nor a long name", async () => {
  const { json } = start({
    input: z.record(z.string(), z.array(z.strictObject({ a: z.number() }))),
    POST: () => 1,
  });
  const wrong = { a: 1, ["k".repeat(600)]: 1 };
  const { body } = await json({ ["n".repeat(10_000)]: Array(100).fill(wrong), short: [wrong] });
  assert.deepEqual(body, {
    code: "INVALID_INPUT",
    message: "This value is not valid.",
    fields: {},
  });
  const short = await json({ short: [wrong] });
  assert.deepEqual(short.body.fields, { "short[0]": ["This value is not valid."] });
});

// Tracks: R071
Deno.test("a cross-site form is refused before its input is read", async () => {
  const { send } = start(signup);
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const headers = { origin: "https://evil.example", "content-type": type };
    assert.equal((await send('{"email":"a"}', { headers })).status, 403);
  }
});

Deno.test("a result of its own remains the action's, and an error of the schema is the application's", async () => {
  const own = start({ ...signup, action: () => data({ saved: "no" }, { status: 409 }) });
  const fields = form([
    ["email", "ada@example.com"],
    ["password", "a few words are easiest"],
    ["_code", "123456"],
  ]);
  const { status, text } = await own.send(fields);
  assert.equal(status, 409);
  assert.match(text, /<p role="status">no<\/p>/);
  assert.doesNotMatch(text, /role="alert"/);
});

for (
  const [what, module, message] of [
    [
      "is no schema",
      { input: { title: "string" }, POST: () => 1 },
      /whose title is not a Standard/,
    ],
    ["names a method that is not there", { input: { PUT: Signup }, POST: () => 1 }, /for PUT, but/],
    ["is for a page without an action", { input: Signup, default: () => null }, /but no action/],
    ["is by method on a page", { ...signup, input: { POST: Signup } }, /not a Standard Schema/],
  ] as const
) {
  Deno.test(`an input that ${what} is refused when the application is made`, () => {
    assert.throws(() => start(module), message);
  });
}

Deno.test("types: context.input is what the schema makes, and a context with it fits one without", () => {
  const input = z.object({ due: z.coerce.number() });
  function audit(context: RequestContext): string {
    return context.requestId;
  }
  function POST(
    _: Request,
    context: RequestContext<"/", typeof input>,
  ) {
    const due: number = context.input.due;
    // @ts-expect-error -- the schema has no such field.
    void context.input.title;
    return [due, audit(context)];
  }
  type Body = { email: string };
  const forValibot = v.object({ email: v.string() });
  const forArktype = type({ email: "string" });
  const action = (args: ActionArgs<"/", typeof forValibot>): Body => args.context.input;
  const other = (args: ActionArgs<"/", typeof forArktype>): Body => args.context.input;
  assert.deepEqual([POST, action, other].map((each) => typeof each), Array(3).fill("function"));
});
