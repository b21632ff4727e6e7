/**
 * Clients that other people's generators make of a document.
 *
 * @module
 */

import { join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { run } from "../../scripts/run_command.ts";
import { findNodes } from "../support/node.ts";

const PACKAGES = [
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@hey-api/openapi-ts@0.95.0",
  "orval@7.13.2",
  "typescript@5.9.3",
];

/**
 * Programs that sign in by a wrong PIN and by the right one, read the session and end it, and say what came of it. That of
 * openapi-fetch saves a name. That of hey-api sends by itself what the document asks for: the cookie, and in a second
 * round the token.
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  "openapi-fetch": `import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const client = createClient<paths>({ baseUrl: URL_OF_AUTH, headers: { accept: "application/json" } });
const wrong = await client.POST("/signin/pin", { body: { pin: "0000" } });
const { data, response } = await client.POST("/signin/pin", { body: { pin: "1234" } });
const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
const session = await client.GET("/session", { headers: { cookie } });
const body = { name: "Countess", image: "" };
const saved = await client.POST("/account/profile", { body, headers: { cookie } });
if (saved.data?.user.name !== "Countess") throw new Error("The name is not saved");
await client.POST("/signout", { headers: { cookie }, body: {} });
const after = await client.GET("/session", { headers: { cookie } });
console.log(JSON.stringify([wrong.error?.code, data?.user?.id, session.data?.user.name, after.data]));
// @ts-expect-error The PIN is missing.
void (() => client.POST("/signin/pin", { body: {} }));
// @ts-expect-error A program sends a body.
void (() => client.POST("/signout"));
`,
  "hey-api": `import { client } from "./hey/client.gen";
import { getSession, signInWithPin, signOut } from "./hey";

let way = "apiKey";
let token: string | undefined;
client.setConfig({
  baseUrl: URL_OF_AUTH,
  headers: { accept: "application/json" },
  auth: ({ type }) => type === way ? token : undefined,
});
const wrong = await signInWithPin({ body: { pin: "0000" } });
const found = [];
for (way of ["apiKey", "http"]) {
  token = undefined;
  const { data, response } = await signInWithPin({ body: { pin: "1234" } });
  const [cookie = ""] = response!.headers.getSetCookie()
    .filter((line) => line.startsWith("framework.session-token="));
  token = cookie.split(";")[0]!.split("=")[1];
  const session = await getSession();
  await signOut({ body: {} });
  const after = await getSession();
  found.push(JSON.stringify([wrong.error?.code, data?.user?.id, session.data?.user.name, after.data]));
}
if (found[0] !== found[1]) throw new Error(found.join(" | "));
console.log(found[0]);
// @ts-expect-error The PIN is missing.
void (() => signInWithPin({ body: {} }));
// @ts-expect-error A program sends a body.
void (() => signOut());
`,
  "orval": `import { getSession, signInWithPin, signOut } from "./orval/client.ts";

const headers = { accept: "application/json" };
const wrong = await signInWithPin({ pin: "0000" }, { headers });
const right = await signInWithPin({ pin: "1234" }, { headers });
if (right.status !== 200 || wrong.status !== 401) throw new Error("unexpected");
const cookie = right.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
const session = await getSession({ headers: { ...headers, cookie } });
const name = session.status === 200 ? session.data?.user.name : undefined;
await signOut({}, { headers: { ...headers, cookie } });
const after = await getSession({ headers: { ...headers, cookie } });
console.log(JSON.stringify([wrong.data.code, right.data.user?.id, name, after.data]));
// @ts-expect-error The PIN is missing.
void (() => signInWithPin({}));
// @ts-expect-error A program sends a body.
void (() => signOut());
`,
};

/**
 * Has each generator make a client of a document, type-checks it with a program that signs in, and runs that on Node.
 *
 * @param document The document.
 * @param url Address of the endpoints.
 * @returns What each program wrote.
 */
export async function signInByClients(
  document: unknown,
  url: string,
): Promise<Record<string, unknown>> {
  const root = await Deno.makeTempDir({ prefix: "framework-clients-" });
  const { newest } = await findNodes();
  const bin = (name: string) => join(root, "node_modules", name);
  try {
    const npm = await findProgram(["npm"]) ?? "npm";
    await Deno.writeTextFile(join(root, "package.json"), '{ "type": "module", "private": true }');
    await Deno.writeTextFile(join(root, "doc.json"), JSON.stringify(document));
    const orval = {
      auth: {
        input: "./doc.json",
        output: { target: "./orval/client.ts", client: "fetch", baseUrl: url },
      },
    };
    await Deno.writeTextFile(
      join(root, "orval.config.ts"),
      `export default ${JSON.stringify(orval)};\n`,
    );
    for (const [name, text] of Object.entries(PROGRAMS)) {
      await Deno.writeTextFile(
        join(root, `${name}.ts`),
        text.replace("URL_OF_AUTH", JSON.stringify(url)),
      );
    }
    await run(npm, ["install", "--no-audit", "--no-fund", "--no-package-lock", ...PACKAGES], {
      cwd: root,
    });
    await run(newest, [bin("openapi-typescript/bin/cli.js"), "doc.json", "-o", "api.d.ts"], {
      cwd: root,
    });
    await run(newest, [bin("@hey-api/openapi-ts/bin/run.js"), "-i", "doc.json", "-o", "hey"], {
      cwd: root,
    });
    await run(newest, [bin("orval/dist/bin/orval.js"), "--config", "orval.config.ts"], {
      cwd: root,
    });
    const found: Record<string, unknown> = {};
    for (const name of Object.keys(PROGRAMS)) {
      await run(newest, [
        bin("typescript/bin/tsc"),
        ...["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"],
        ...["--module", "preserve", "--moduleResolution", "bundler", "--target", "esnext"],
        ...["--lib", "esnext,dom,dom.iterable", `${name}.ts`],
      ], { cwd: root });
      const output = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--unstable-sloppy-imports", `${name}.ts`],
        cwd: root,
      }).output();
      found[name] = output.success
        ? JSON.parse(new TextDecoder().decode(output.stdout))
        : new TextDecoder().decode(output.stderr);
    }
    return found;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
