import assert from "node:assert/strict";
import { defaultTheme } from "../sign_in/pages.ts";
import type { RedirectParams } from "../types/callbacks.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import { HOSTILE_ADDRESSES } from "../tests/hostile_addresses.ts";

const RIGHT = { name: "ada", password: "right" };
const TRUSTED = ["https://admin.example"];

/** Every endpoint that follows an address of the client, with the way to send it. */
const FOLLOWERS: [string, Record<string, string>][] = [
  ["/signin/credentials", RIGHT],
  ["/signout", {}],
];

// Tracks: R077, CVE-2024-56734, GHSA-8jhw-6pjj-8723, CVE-2025-27143, GHSA-hjpm-7mrm-26w8, CVE-2025-53535, GHSA-36rg-gfq2-3h56, CVE-2021-43812, CVE-2022-24794, CVE-2022-3145, CVE-2020-11053, CVE-2025-4143, K6
Deno.test("no endpoint follows a hostile address, in a form or in JSON", async () => {
  const application = createTestApplication({ trustedOrigins: TRUSTED });
  for (const [path, fields] of FOLLOWERS) {
    for (const callbackUrl of HOSTILE_ADDRESSES) {
      const form = await application.send(path, { fields: { ...fields, callbackUrl } });
      assert.equal(form.headers.get("location"), `${ORIGIN}/`, JSON.stringify([path, callbackUrl]));
      const json = await application.send(path, {
        json: { ...fields, callbackUrl },
        headers: { accept: "application/json" },
      });
      assert.equal((await json.json()).redirectTo, `${ORIGIN}/`);
    }
  }
  application.close();
});

// Tracks: R077, CVE-2022-24858, CVE-2022-29214, K6
Deno.test("no page carries a hostile address along, in a form or in a redirect", async () => {
  const builtIn = createTestApplication({ trustedOrigins: TRUSTED });
  const own = createTestApplication({
    trustedOrigins: TRUSTED,
    pages: { signIn: "/login", signOut: "/logout", error: "/oops", theme: defaultTheme },
  });
  for (const callbackUrl of HOSTILE_ADDRESSES) {
    const query = new URLSearchParams({ callbackUrl, error: callbackUrl });
    for (const path of ["/signin", "/signout", "/error"]) {
      const page = await builtIn.send(`${path}?${query}`);
      const text = await page.text();
      assert.equal(page.status, 200);
      assert.equal(text.includes('name="callbackUrl"'), false, JSON.stringify(callbackUrl));
      assert.equal(/evil|javascript:/i.test(text), false, JSON.stringify(callbackUrl));
      const redirect = await own.send(`${path}?${query}`);
      assert.match(
        redirect.headers.get("location")!,
        /^https:\/\/app\.example\/(login|logout|oops)$/,
      );
    }
  }
  builtIn.close();
  own.close();
});

Deno.test("redirect: the callback hears where the visitor asked to go, once, and its answer is followed", async () => {
  const seen: RedirectParams[] = [];
  const application = createTestApplication({
    trustedOrigins: TRUSTED,
    callbacks: {
      redirect(params) {
        seen.push(params);
        return Promise.resolve(params.url === `${ORIGIN}/` ? "/dashboard" : params.url + "?seen");
      },
    },
  });
  const cases: [Record<string, string>, string, string][] = [
    [{}, `${ORIGIN}/`, `${ORIGIN}/dashboard`],
    [{ callbackUrl: "" }, `${ORIGIN}/`, `${ORIGIN}/dashboard`],
    [{ callbackUrl: "/next" }, "/next", `${ORIGIN}/next?seen`],
    [
      { callbackUrl: "https://admin.example/" },
      "https://admin.example/",
      "https://admin.example/?seen",
    ],
    [{ callbackUrl: "https://evil.example/" }, "https://evil.example/", `${ORIGIN}/`],
    [{ callbackUrl: "/x\r\nSet-Cookie: a=b" }, `${ORIGIN}/`, `${ORIGIN}/dashboard`],
  ];
  for (const [path, fields] of FOLLOWERS) {
    for (const [more, url, location] of cases) {
      seen.length = 0;
      const response = await application.send(path, { fields: { ...fields, ...more } });
      assert.equal(response.headers.get("location"), location);
      assert.deepEqual(seen, [{ url, baseUrl: ORIGIN }]);
    }
  }
  // A page that only carries the address along does not ask.
  seen.length = 0;
  assert.match(await (await application.send("/signin?callbackUrl=/next")).text(), /\/next"/);
  assert.deepEqual(seen, []);
  application.close();
});

// Tracks: R077, CVE-2022-24858, CVE-2022-31093
Deno.test("redirect: an answer that leads away, is none, or fails leads to the start page", async () => {
  const answers: (() => unknown)[] = [
    ...HOSTILE_ADDRESSES.map((address) => () => address),
    () => undefined,
    () => new URL("https://app.example/x"),
    () => Promise.reject(new Error("a defect")),
    () => {
      throw new TypeError("Invalid URL");
    },
  ];
  let answer: () => unknown = () => "/";
  const application = createTestApplication({
    trustedOrigins: TRUSTED,
    callbacks: { redirect: () => answer() as string },
  });
  for (answer of answers) {
    application.log.length = 0;
    const response = await application.send("/signout", { fields: { callbackUrl: "/next" } });
    assert.deepEqual([response.status, response.headers.get("location")], [303, `${ORIGIN}/`]);
    const [line] = application.log;
    assert.ok(line?.event === "redirect-refused" || line?.event === "callback-failed");
    assert.equal(line.fields.callback, "redirect");
  }
  application.close();
});

Deno.test("redirect: a new user is told the way on that the callback chose", async () => {
  const application = createTestApplication({
    pages: { newUser: "/welcome" },
    callbacks: { redirect: () => "/dashboard" },
  });
  const response = await application.send("/signin/credentials", { fields: RIGHT });
  const next = encodeURIComponent(`${ORIGIN}/dashboard`);
  assert.equal(response.headers.get("location"), `${ORIGIN}/welcome?callbackUrl=${next}`);
  application.close();
});
