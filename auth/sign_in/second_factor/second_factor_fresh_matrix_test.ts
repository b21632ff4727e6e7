// docs/second_factor.md, "What asks for it anew": every endpoint that acts for somebody who is signed in has a row.
import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { createEndpointTable } from "../../app/endpoints.ts";
import { currentRequest } from "../../core/request.ts";
import { during } from "../../tests/during.ts";
import type { PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { PASSWORD } from "../../tests/password_application.ts";
import { type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { github } from "../oauth/presets/github.ts";

const PAGE = await Deno.readTextFile(new URL("../../../docs/second_factor.md", import.meta.url));
const [, SECTION] = PAGE.split("\n## What asks for it anew\n");
const ROWS = new Map(
  SECTION!.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("| `"))
    .flatMap((line) => {
      const [, requests, answer] = line.split("|").map((cell) => cell.trim());
      return [...requests!.matchAll(/`([^`]+)`/g)].map(([, request]) => [request!, answer!]);
    }),
);

// What these do is for whoever comes, with a link, a code or a first factor, and not for who is signed in.
const FOR_ANYBODY =
  /^(?:GET|POST) \/auth\/(?:signin|signup|forgot|reset|callback|verify-request)\b/;
const PUBLIC = [
  "GET /auth/signout",
  "GET /auth/error",
  "GET /auth/providers",
  "GET /auth/passkey.js",
  "POST /auth/passkey/options/authenticate",
  "GET /auth/dev/mail",
  // Of the tests' own provider.
  "POST /auth/link/code",
];

/** Tables that hold what an account is. */
const KEPT = [
  "users",
  "password_hashes",
  "passkeys",
  "accounts",
  "second_factors",
  "recovery_codes",
  "trusted_browsers",
];

const OPTIONS = { providers: [github({ clientId: "id", clientSecret: "secret" })] };

async function endpointsOf(application: FactorApplication): Promise<string[]> {
  const { result } = await during(
    application,
    undefined,
    () => Promise.resolve(createEndpointTable(currentRequest("test").auth.settings)),
  );
  return [...result].flatMap(([path, methods]) =>
    [...methods.keys()].map((method) => `${method} /auth${path}`)
  );
}

/** The row of an endpoint: of all providers one. */
function rowOf(endpoint: string): string {
  return endpoint.replace(/\/accounts\/(?:code|github)\/\*$/, "/accounts/<provider>/<id>")
    .replace(/\*$/, "<id>");
}

// Tracks: R174, R176
Deno.test("every endpoint for who is signed in is in the table of what asks for a fresh second factor", () =>
  withFactor(
    async (application) => {
      const all = await endpointsOf(application);
      assert.ok(all.length > 50, String(all.length));
      const signedIn = all.filter((one) => !FOR_ANYBODY.test(one) && !PUBLIC.includes(one));
      assert.deepEqual([...new Set(signedIn.map(rowOf))].sort(), [...ROWS.keys()].sort());
    },
    "database",
    { recovery: {} },
    OPTIONS,
  ));

/** A member whose session has proved the second factor by a trusted browser alone, and what they have. */
async function comeBack(application: FactorApplication) {
  const member = await application.member();
  const { secret } = await application.enrol(member);
  assert.equal((await member.register(createSoftwareAuthenticator())).status, 200);
  const [{ id: passkey }] = await (await member.send("/passkeys")).json();
  await member.send("/link/code", { fields: { sub: "1" } });
  const browser = application.browser();
  await application.begin(browser);
  await application.answer(browser, await application.code(secret), { trust: "yes" });
  application.wait(30_000);
  await browser.send("/signout", { fields: {} });
  await application.begin(browser);
  assert.equal(await browser.user(), application.userId());
  return { browser, secret, passkey };
}

/** Sends a request of the table, with fields that would do the most. */
async function ask(
  browser: PasskeyBrowser,
  request: string,
  { passkey }: { passkey: string },
): Promise<{ status: number; code: string | null }> {
  const [method, path] = request.split(" ") as [string, string];
  const isDeletion = method === "DELETE";
  const below = path.slice("/auth".length)
    .replace("<provider>/<id>", "code/1")
    .replace("/passkeys/<id>", `/passkeys/${passkey}`)
    .replace("<id>", isDeletion ? "no-such-session" : "github");
  const response = await browser.send(below, {
    method,
    ...method !== "GET" && {
      fields: {
        id: passkey,
        name: "Mine",
        image: "",
        provider: "code",
        providerAccountId: "1",
        email: "ada@new.example",
        password: `${PASSWORD} 2`,
        setUp: "",
        code: "",
        token: "",
        credential: "{}",
        intent: "link",
      },
    },
  });
  const text = await response.text();
  let code: string | null = null;
  try {
    code = JSON.parse(text)?.code ?? null;
  } catch {
    // A page.
  }
  return { status: response.status, code };
}

for (const strategy of ["database", "jwt"] as const) {
  for (const [request, answer] of ROWS) {
    if (strategy === "jwt" && request.includes("/auth/sessions")) continue;
    // Tracks: R174, R176
    Deno.test(`${request} ${answer} with a second factor that is not fresh (${strategy})`, () =>
      withFactor(
        async (application) => {
          const made = await comeBack(application);
          const { browser, secret } = made;
          const before = KEPT.map((table) => application.rows(table));
          const { status, code } = await ask(browser, request, made);
          if (answer !== "asks") {
            assert.equal(answer, "goes on");
            assert.notEqual(code, "SECOND_FACTOR_REQUIRED");
            assert.notEqual(code, "REAUTHENTICATION_REQUIRED");
            assert.notEqual(code, "METHOD_NOT_ALLOWED");
            return;
          }
          assert.deepEqual([status, code], [401, "SECOND_FACTOR_REQUIRED"]);
          assert.deepEqual(KEPT.map((table) => application.rows(table)), before);
          assert.deepEqual(application.changes, []);
          // And with it fresh it is about its own matter.
          await application.answer(browser, await application.code(secret));
          assert.notEqual((await ask(browser, request, made)).code, "SECOND_FACTOR_REQUIRED");
        },
        strategy,
        { recovery: {} },
        OPTIONS,
      ));
  }

  // Tracks: R162, R174
  Deno.test(`linking an account by a sign-in page's form takes a fresh second factor (${strategy})`, () =>
    withFactor(
      async (application) => {
        const { browser, secret } = await comeBack(application);
        const link = () => browser.send("/signin/github", { fields: { intent: "link" } });
        const refused = await link();
        assert.deepEqual([refused.status, (await refused.json()).code], [
          401,
          "SECOND_FACTOR_REQUIRED",
        ]);
        await application.answer(browser, await application.code(secret));
        const begun = await link();
        assert.equal(begun.status, 200);
        assert.match((await begun.json()).redirectTo, /^https:\/\/github\.com\/login\/oauth\//);
      },
      strategy,
      { recovery: {} },
      OPTIONS,
    ));
}
