import { createAuth, createMemoryStorage, credentials } from "@framework/auth";
import { describeAuth, type OpenApiDocument } from "@framework/auth/openapi";
import { Validator } from "@seriousme/openapi-schema-validator";
import assert from "node:assert/strict";
import { createFixtureApp } from "../cli/fixture_app.ts";
import { runFramework } from "../cli/framework.ts";
import { DESCRIPTIONS } from "../../auth/openapi/document.ts";
import { inMatrix } from "../support/matrix.ts";
import { everything } from "./everything.ts";
import { signInByClients } from "./generated_clients.ts";

const ORIGIN = "https://app.example";

/** An operation of a document. */
interface Listed {
  name: string;
  operation: { operationId?: string; "x-undescribed"?: string };
}

function list({ paths }: OpenApiDocument): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as Listed["operation"],
    }))
  );
}

Deno.test("describeAuth() describes each endpoint of an application with everything, and nothing else", async () => {
  const auth = createAuth(everything(ORIGIN));
  const documents = [false, true].map((administration) =>
    describeAuth(auth, {}, { administration })
  );
  for (const document of documents) {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    assert.ok(valid, JSON.stringify(errors));
  }
  const operations = documents.flatMap(list);
  assert.deepEqual(operations.filter(({ operation }) => operation["x-undescribed"]), []);
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length, "two operations have one id");
  const general = new Set(
    operations.map(({ name }) =>
      name.replace(
        /^(\w+ \/(?:signin|callback|accounts)\/)(?:email|github|pin)(?=\/|$)/,
        "$1{provider}",
      )
    ),
  );
  // Is there with NODE_ENV=development alone.
  assert.deepEqual(DESCRIPTIONS.filter((name) => !general.has(name)), ["GET /dev/mail"]);
});

Deno.test("describeAuth() has the endpoints for administrators in a document of their own", () => {
  const auth = createAuth(everything(ORIGIN));
  const isOfAdministrators = ({ name }: Listed) => /\/admin\b|\/impersonation$/.test(name);
  const [own, administration] = [
    list(describeAuth(auth)),
    list(describeAuth(auth, {}, { administration: true })),
  ];
  assert.equal(own.some(isOfAdministrators), false);
  assert.ok(administration.length >= 10 && administration.every(isOfAdministrators));
});

Deno.test("describeAuth() says where the endpoints are, and which fields a form of one's own has", () => {
  const auth = createAuth({
    basePath: "/api/auth",
    database: createMemoryStorage(),
    providers: [credentials({
      id: "staff",
      credentials: {
        card: { label: "Card", type: "text", required: true },
        pin: { label: "PIN", type: "password" },
      },
      authorize: () => Promise.resolve(null),
    })],
  });
  const document = describeAuth(auth, {}, { title: "Shop", version: "2.0.0" });
  assert.deepEqual(document.info, { title: "Shop", version: "2.0.0" });
  assert.deepEqual(document.servers, [{ url: "/api/auth" }]);
  // deno-lint-ignore no-explicit-any -- a document is plain JSON
  const operation: any = document.paths["/signin/staff"]?.["post"];
  assert.equal(operation.operationId, "signInWithStaff");
  const { schema } = operation.requestBody.content["application/json"];
  assert.deepEqual(Object.keys(schema.properties), ["card", "pin", "callbackUrl"]);
  assert.deepEqual(schema.required, ["card"]);
  assert.throws(() => describeAuth({} as typeof auth), TypeError);
});

// deno-lint-ignore no-explicit-any -- a document is plain JSON
type Part = any;

Deno.test("describeAuth() offers cookie and token with all that reads the session, and nothing else where none counts", () => {
  const wayOf = (document: OpenApiDocument, path: string, method: string) =>
    (document.paths[path]?.[method] as Part).security;
  const ways = [{ session: [] }, { token: [] }];
  const options = everything(ORIGIN);
  const document = describeAuth(createAuth(options));
  for (
    const [path, method] of [
      ["/signout", "post"],
      ["/session", "get"],
      ["/session", "post"],
      ["/second-factor", "post"],
      ["/passkey/options/register", "post"],
      ["/passkey/register", "post"],
      ["/account/email/confirm", "post"],
    ] as const
  ) assert.deepEqual(wayOf(document, path, method), [{}, ...ways], `${method} ${path}`);
  assert.deepEqual(wayOf(document, "/sessions", "get"), ways);
  assert.equal(wayOf(document, "/providers", "get"), undefined);
  // API keys, which the token would be here, open nothing below the base path.
  const keysAlone = describeAuth(createAuth({ ...options, session: { strategy: "database" } }));
  assert.deepEqual(wayOf(keysAlone, "/session", "get"), [{}, { session: [] }]);
  assert.deepEqual(Object.keys(keysAlone.components["securitySchemes"] as Part), ["session"]);
});

Deno.test("describeAuth() demands a body wherever a program without an origin is refused without one", async () => {
  const auth = createAuth(everything(ORIGIN));
  for (const { name, operation } of list(describeAuth(auth))) {
    const [method, path] = name.split(" ") as [string, string];
    if (method === "GET") continue;
    const { requestBody, responses } = operation as Part;
    const request = new Request(`${ORIGIN}/auth${path}`, { method });
    const response = await auth.handle(request, {});
    const { code } = await response!.json().catch(() => ({})) as { code?: string };
    if (code !== "CROSS_SITE_REQUEST") continue;
    assert.equal(requestBody.required, true, name);
    const { schema } = responses[403].content["application/json"];
    assert.ok(schema.properties.code.enum.includes(code), name);
  }
  const { "/signout": { post } } = describeAuth(auth).paths as Part;
  assert.equal(post.requestBody.required, true);
});

Deno.test("describeAuth() says when to try again, that keys are refused, and where a client finds its token", () => {
  const options = everything(ORIGIN);
  const { paths } = describeAuth(createAuth(options)) as Part;
  const signIn = paths["/signin/pin"].post.responses;
  assert.equal(signIn[429].headers["retry-after"].schema.type, "integer");
  const cookie = signIn[200].headers["set-cookie"].description;
  assert.match(cookie, /the cookie framework\.session-token, whose value is the token/);
  assert.match(cookie, /`Authorization: Bearer`.* the cookie __Host-framework\.second-step\./);
  for (const { name, operation } of list(describeAuth(createAuth(options)))) {
    const { properties } = (operation as Part).responses[403].content["application/json"].schema;
    assert.ok(properties.code.enum.includes("API_KEY_REFUSED"), name);
  }
  assert.match(paths["/second-factor"].post.description, /__Host-framework\.second-step/);

  const sessionToken = { hostOnly: true };
  const own = describeAuth(createAuth({ ...options, rateLimit: false, cookies: { sessionToken } }));
  const { "/signin/pin": { post } } = own.paths as Part;
  assert.equal(post.responses[429], undefined);
  const { session } = own.components["securitySchemes"] as Part;
  assert.equal(session.name, "__Host-framework.session-token");
});

Deno.test("framework openapi prints the document of the application's accounts", async () => {
  const provider = `import { passwords } from "@framework/auth";
export default passwords((env) => ({ sendMail: async () => void env.MAIL_TOKEN.length }));
`;
  await using app = await createFixtureApp({
    "package.json": JSON.stringify({ name: "shop", version: "1.2.3", type: "module" }),
    "app/page.tsx": "export default () => null;\n",
    "app/auth/providers/passwords.ts": provider,
    ".dev.vars": `AUTH_SECRET=${"s".repeat(40)}\n`,
  });
  const { code, stdout, stderr } = await runFramework(app.root, "openapi");
  assert.equal(code, 0, stderr);
  const document = JSON.parse(stdout);
  assert.deepEqual(document.info, { title: "shop", version: "1.2.3" });
  assert.equal(document.paths["/signup"].post.operationId, "signUp");
  assert.equal(stdout.includes("ssss"), false, "a secret is in the document");

  const administration = await runFramework(app.root, "openapi", "--administration");
  assert.deepEqual(JSON.parse(administration.stdout).paths, {});
});

Deno.test("framework openapi says what to do in an application without accounts", async () => {
  await using app = await createFixtureApp({ "app/page.tsx": "export default () => null;\n" });
  const { code, stderr } = await runFramework(app.root, "openapi");
  assert.equal(code, 2);
  assert.match(stderr, /The application has no accounts.*framework generate auth/s);
});

if (inMatrix) {
  Deno.test("clients made by openapi-typescript, hey-api and orval compile, sign in, read the session and end it", async () => {
    let handle: (request: Request) => Promise<Response>;
    const server = Deno.serve(
      { port: 0, hostname: "localhost", onListen: () => {} },
      (request) => handle(request),
    );
    try {
      const origin = `http://localhost:${server.addr.port}`;
      const auth = createAuth(everything(origin));
      handle = async (request) =>
        await auth.handle(request, {}, { clientAddress: "192.0.2.1" }) ??
          new Response(null, { status: 404 });
      const found = await signInByClients(describeAuth(auth), `${origin}/auth`);
      const expected = ["INVALID_CREDENTIALS", "ada", "Ada", null];
      assert.deepEqual(found, {
        "openapi-fetch": expected,
        "hey-api": expected,
        "orval": expected,
      });
    } finally {
      await server.shutdown();
    }
  });
}
