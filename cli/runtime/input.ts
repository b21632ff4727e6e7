import { RequestError } from "@framework/auth";
import { FORMS } from "./body_limit.ts";
import { formValues, nestFields } from "./form_fields.ts";
import { InvalidInputError } from "./invalid_input.ts";
import { hasBodyInput, type ReadInput, type Schema, type SchemaIssue } from "./schema.ts";
import { createSecretFinder } from "./secret_fields.ts";

/** Input of a request, before its schema has seen it. */
interface RawInput {
  value: unknown;
  /** Fields of a form; empty for JSON. */
  fields: readonly [string, string | File][];
}

/** Levels of a JSON value. */
const DEEPEST = 100;
/** Mistakes that a response names. */
const MOST_ISSUES = 100;
/** Characters of a message, and of the name of its field: longer ones repeat what was sent. */
const LONGEST = { message: 500, name: 200 };

/**
 * Reads the input of requests by the schema that a page or route exports as `input`. The generated
 * entry passes it to `createApplication` for applications that have one.
 *
 * @param schema Schema of the input.
 * @param request Request whose body is read; for GET, HEAD and DELETE, its query.
 * @throws {RequestError} 400 for a malformed body, 415 for one that is neither a form nor JSON.
 * @example
 * ```ts
 * import { createApplication, readInput } from "@framework/cli/runtime";
 * import { deepEqual, equal } from "node:assert/strict";
 * import { z } from "zod";
 *
 * const { worker } = createApplication({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   input: readInput,
 *   routes: [{
 *     kind: "route",
 *     pattern: "/api/notes",
 *     file: "app/api/notes/route.ts",
 *     module: {
 *       input: z.object({ title: z.string().min(1, "Please enter a title.") }),
 *       POST: (_request: Request, context: { input: { title: string } }) => context.input,
 *     },
 *     layouts: [],
 *     middleware: [],
 *   }],
 * });
 *
 * const request = new Request("http://localhost/api/notes", {
 *   method: "POST",
 *   headers: { "content-type": "application/json", origin: "http://localhost" },
 *   body: JSON.stringify({ title: "" }),
 * });
 * const response = await worker.fetch(request, {});
 * equal(response.status, 422);
 * deepEqual((await response.json()).fields, { title: ["Please enter a title."] });
 * ```
 */
export async function readInput(schema: Schema, request: Request): Promise<ReadInput> {
  const { value, fields } = await readRaw(request);
  const values = formValues(fields);
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value, values };
  return { error: describe(result.issues, value), values };
}

async function readRaw(request: Request): Promise<RawInput> {
  if (!hasBodyInput(request.method)) {
    const fields = [...new URL(request.url).searchParams];
    return { value: nestFields(fields), fields };
  }
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) {
    return { value: parseJson(await request.text()), fields: [] };
  }
  if (!FORMS.includes(type)) {
    throw new RequestError("Send JSON or a form", { code: "UNSUPPORTED_MEDIA_TYPE" });
  }
  const fields = type === "multipart/form-data"
    ? await readMultipart(request)
    : [...await request.formData()];
  return { value: nestFields(fields), fields };
}

const unchosenFile =
  /^content-disposition: *form-data; *name="([^"\r\n]*)"; *filename=""(?=[;\r])/gim;

/** Reads a multipart body without the file fields that have no file, which workerd reads as empty texts. */
async function readMultipart(request: Request): Promise<[string, string | File][]> {
  const body = await request.arrayBuffer();
  const headers = { "content-type": request.headers.get("content-type")! };
  const form = await new Response(body, { headers }).formData().catch((cause) => {
    throw new RequestError("The body is not the form that it claims to be", { cause });
  });
  const fields = [...form];
  if (!fields.some(([, value]) => value === "")) return fields;
  const headings = new TextDecoder().decode(body).matchAll(unchosenFile);
  const unchosen = new Set([...headings].map(([, name]) => name!.replaceAll("%22", '"')));
  return fields.filter(([name, value]) => value !== "" || !unchosen.has(name));
}

function parseJson(text: string): unknown {
  if (isDeeperThan(text, DEEPEST)) throw new RequestError("The JSON is nested too deeply");
  try {
    // Code that copies such a property would change a prototype. The names may be written in escapes.
    return /__proto__|"prototype"|\\u/i.test(text)
      ? JSON.parse(text, refusePrototype)
      : JSON.parse(text);
  } catch (cause) {
    throw cause instanceof RequestError
      ? cause
      : new RequestError("The body is not JSON", { cause });
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new RequestError("The JSON has a property named __proto__");
  const isObject = typeof value === "object" && value !== null;
  if (key === "constructor" && isObject && Object.hasOwn(value, "prototype")) {
    throw new RequestError("The JSON has a property named constructor.prototype");
  }
  return value;
}

/** Counts brackets outside of strings: schemas that contain themselves run one call for each level. */
function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") {
      if (++depth > most) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}

function describe(issues: readonly SchemaIssue[], input: unknown): InvalidInputError {
  const isQuoting = createSecretFinder(input);
  const messages = new Map<string, string[]>();
  const general: string[] = [];
  for (const { message, path = [] } of issues.slice(0, MOST_ISSUES)) {
    // Some libraries quote the value.
    const isShown = message.length <= LONGEST.message && !isQuoting(message);
    const name = fieldName(path);
    const list = name === "" || name.length > LONGEST.name ? general : messages.get(name) ?? [];
    list.push(isShown ? message : "This value is not valid.");
    if (list !== general) messages.set(name, list);
  }
  return new InvalidInputError(
    Object.fromEntries(messages),
    general.length === 0 ? undefined : [...new Set(general)].join(" "),
  );
}

/** Returns the name of the field at a path, such as `items[0].title`. */
function fieldName(path: NonNullable<SchemaIssue["path"]>): string {
  return path.reduce<string>((name, part) => {
    const key = typeof part === "object" ? part.key : part;
    if (typeof key === "number") return `${name}[${key}]`;
    return name === "" ? String(key) : `${name}.${String(key)}`;
  }, "");
}
