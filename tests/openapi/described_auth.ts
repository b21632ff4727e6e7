/**
 * Stands in for `createAuth()`: what an application answers is held against its own OpenAPI documents.
 *
 * @module
 */

import { Ajv2020 } from "ajv/dist/2020.js";
import process from "node:process";
import { createAuth as create, createCompiler } from "../../auth/app/create_auth.ts";
import type { AuthOptions } from "../../auth/app/options.ts";
import { describeAuth, type OpenApiDocument } from "../../auth/openapi/document.ts";
import type { Auth } from "../../auth/session/context_auth.ts";
import { settingsOf } from "../../auth/session/settings_of.ts";

export { createCompiler };
export type { Compiled } from "../../auth/app/create_auth.ts";

/** A part of a document. */
// deno-lint-ignore no-explicit-any -- a document is plain JSON of many forms
type Part = any;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new WeakMap<object, (value: unknown) => string | null>();
/** Those of all documents, by their text: each test has an application of its own, and most documents are alike. */
const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

/** Says what is wrong with a value by a schema of a document; null for nothing. */
function check(document: OpenApiDocument, schema: Part, value: unknown): string | null {
  let validate = validators.get(schema);
  if (validate === undefined) {
    const whole = { ...schema, components: document.components };
    const text = JSON.stringify(whole);
    const tests = compiled.get(text) ?? ajv.compile(whole);
    compiled.set(text, tests);
    validate = (value) => tests(value) ? null : ajv.errorsText(tests.errors);
    validators.set(schema, validate);
  }
  return validate(value);
}

/** Finds the operation for a request; undefined for what no document names. */
function find(documents: OpenApiDocument[], method: string, path: string): {
  document: OpenApiDocument;
  name: string;
  operation: Part;
} | undefined {
  const names = [path, path.replace(/[^/]*$/, "{id}")];
  for (const name of names) {
    for (const document of documents) {
      const operation: Part = document.paths[name]?.[method.toLowerCase()];
      if (operation !== undefined) return { document, name: `${method} ${name}`, operation };
    }
  }
  return undefined;
}

function readFields(type: string, text: string): unknown {
  if (type === "application/json") return JSON.parse(text);
  return Object.fromEntries(new URLSearchParams(text));
}

const FORM = "application/x-www-form-urlencoded";

/** Says what the document does not tell of an exchange; null for nothing. */
async function judge(
  { document, operation }: { document: OpenApiDocument; operation: Part },
  sent: { type: string; text: string },
  response: Response,
): Promise<string | null> {
  const { status } = response;
  const location = response.headers.get("location");
  // Leads to a page that says what was wrong, or to the one to sign in.
  const isRefused = /[?&](?:error|callbackUrl)=/.test(location ?? "");
  if (status < 400 && !isRefused && sent.text !== "" && operation.requestBody !== undefined) {
    const { content } = operation.requestBody;
    const described = content[sent.type === FORM ? "application/json" : sent.type];
    if (described === undefined) return `a body of type ${sent.type}`;
    const wrong = check(document, described.schema, readFields(sent.type, sent.text));
    if (wrong !== null) return `fields: ${wrong}`;
  }
  const type = response.headers.get("content-type")?.split(";")[0] ?? null;
  const { responses, "x-for-browsers": forBrowsers = [] } = operation;
  if (location !== null) {
    return responses[303] !== undefined || forBrowsers.includes("redirect") ? null : "a redirect";
  }
  if (type !== "application/json" && (status >= 400 || forBrowsers.includes("page"))) return null;
  // Clients tell these two from others.
  const isNamed = status === 403 || status === 429;
  const answer = responses[status] ??
    (status >= 400 && !isNamed ? responses.default : undefined);
  if (answer === undefined) return `status ${status}`;
  if (type === null) return null;
  const { content: contents } = answer.$ref === undefined
    ? answer
    : (document.components as Part).responses.Error;
  const content = contents?.[type];
  if (content === undefined) return `${status} with ${type}`;
  if (type !== "application/json") return null;
  const body = await response.clone().json();
  const wrong = check(document, content.schema, body);
  return wrong && `${status} ${body?.code ?? ""}: ${wrong}`;
}

/** Writes a line of what happened: the operation, and what is wrong. */
function report(name: string, wrong: string | null): void {
  const file = process.env["DESCRIBED_REPORT"]!;
  Deno.writeTextFileSync(file, JSON.stringify({ name, wrong }) + "\n", { append: true });
}

/** `createAuth()` of the library, whose answers are held against its documents. */
export function createAuth<Env = unknown>(
  source: AuthOptions | ((env: Env) => AuthOptions),
): Auth<Env> {
  const auth = create<Env>(source);
  const { handle } = auth;
  const described = new WeakMap<object, OpenApiDocument[]>();
  auth.handle = async (request, env, info) => {
    const type = request.headers.get("content-type")?.split(";")[0] ?? "";
    const isRead = request.method !== "GET" && !request.bodyUsed && request.body !== null;
    const copy = isRead ? request.clone() : null;
    const response = await handle(request, env, info);
    // A body that nobody has read may never come to its end.
    const text = copy !== null && request.bodyUsed ? await copy.text().catch(() => "") : "";
    if (copy !== null && !request.bodyUsed) void copy.body?.cancel().catch(() => {});
    if (response === null || request.method === "HEAD") return response;
    const settings = settingsOf(auth, env);
    const documents = described.get(settings) ??
      [false, true].map((administration) => describeAuth(auth, env, { administration }));
    described.set(settings, documents);
    const path = new URL(request.url).pathname.slice(settings.basePath.length);
    const found = find(documents, request.method, path);
    if (found === undefined) {
      if (response.status < 400) {
        report(`${request.method} ${path}`, `is in no document, and answers ${response.status}`);
      }
    } else if (found.operation["x-undescribed"] === undefined) {
      report(found.name, await judge(found, { type, text }, response));
    }
    return response;
  };
  return auth;
}
