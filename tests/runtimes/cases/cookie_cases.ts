import type { CookieOptions } from "@framework/auth";
import assert from "node:assert/strict";
import { cookieOf, createApplication, sessionLines } from "../application.ts";
import type { Case } from "../behaviour.ts";

const NAME = "framework.session-token";

/** Cases about reading and writing cookies. */
export const COOKIE_CASES: Record<string, Case> = {
  // Tracks: R065, R066, K11, CVE-2024-47764
  "the table of Cookie headers has one verdict everywhere": async (world) => {
    const application = await createApplication(world);
    const good = await application.signIn();
    const other = await application.signIn("eve");
    const headers: [string, string, boolean][] = [
      ["alone", good, true],
      ["after others", `a=b; c=d; ${good}`, true],
      ["before others", `${good}; a=b`, true],
      ["without blanks", `a=b;${good};c=d`, true],
      ["with many blanks", `a=b;   ${good}  ;c=d`, true],
      ["with tabs", `a=b;\t${good}`, true],
      ["empty pairs", `;;; ${good};;`, true],
      ["twice the same", `${good}; ${good}`, true],
      ["two that differ", `${good}; ${other}`, false],
      ["two that differ, turned", `${other}; ${good}`, false],
      ["a good and a bad one", `${good}; ${NAME}=x`, false],
      ["a longer name", good.replace(NAME, `${NAME}-x`), false],
      ["a chunk's name", good.replace(NAME, `${NAME}.1`), false],
      ["a shorter name", good.replace(NAME, NAME.slice(1)), false],
      ["another case", good.replace(NAME, NAME.toUpperCase()), false],
      ["no name", `=${good}`, false],
      ["no value", `${NAME}`, false],
      ["a value in the value", `x=${good}`, false],
      ["a quote around it", `${NAME}="${good.slice(NAME.length + 1)}"`, false],
      [
        "escaped",
        `${NAME}=${
          good.slice(NAME.length + 1).replace(/^./, (c) => `%${c.charCodeAt(0).toString(16)}`)
        }`,
        false,
      ],
      ["a comma list", `${good}, a=b`, false],
      ["1,000 others", `${"a=b; ".repeat(1000)}${good}`, true],
      ["64 KB of one", `a=${"x".repeat(64 * 1024)}; ${good}`, true],
    ];
    for (const [what, cookie, expected] of headers) {
      const response = await application.send("/auth/session", { cookie });
      assert.equal((await response.json())?.user.id ?? null, expected ? "ada" : null, what);
    }
  },
  // Tracks: R060, R062, R063, R064
  "the attributes of the cookie, and of its removal, follow the configuration": async (world) => {
    const table: [string | undefined, CookieOptions][] = [
      [undefined, {}],
      [undefined, { secure: false, httpOnly: false, sameSite: "strict", path: "/auth" }],
      [undefined, { sameSite: "none", domain: "example" }],
      ["__Host-session", {}],
      ["__Secure-session", { domain: "app.example", path: "/" }],
    ];
    const seen: unknown[] = [];
    for (const [name, options] of table) {
      const sessionToken = { options, ...(name !== undefined && { name }) };
      const application = await createApplication(world, { cookies: { sessionToken } });
      const fields = { name: "ada", password: "right" };
      const signedIn = await application.send("/auth/signin/credentials", { fields });
      const cookie = cookieOf(signedIn);
      const signedOut = await application.send("/auth/signout", { method: "POST", cookie });
      const set = sessionLines(signedIn);
      const removed = signedOut.headers.getSetCookie();
      assert.equal(set.length, 1);
      const place = (line: string) =>
        line.split("; ").slice(1).filter((one) => !/^(Max-Age|Expires)=/.test(one));
      assert.deepEqual(place(removed[0]!), place(set[0]!), "what is removed is what was set");
      for (const line of [...set, ...removed]) assert.match(line, /; SameSite=(Lax|Strict|None)/);
      seen.push([set[0]!.replace(/=[\w-]{43};/, "=…;"), removed]);
    }
    return seen;
  },
  // Tracks: R057
  "no cookie is longer than browsers keep": async (world) => {
    const application = await createApplication(world);
    const lines = sessionLines(
      await application.send("/auth/signin/credentials", {
        fields: { name: "a".repeat(200), password: "right" },
      }),
    );
    assert.equal(lines.length, 1);
    assert.ok(lines[0]!.split(";")[0]!.length <= 4096);
  },
};
