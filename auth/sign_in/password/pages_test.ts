import assert from "node:assert/strict";
import { createAuth } from "../../app/create_auth.ts";
import { ConfigurationError } from "../../errors.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { everyCookie, PASSWORD, tokenOf, withPasswords } from "../../tests/password_application.ts";
import { passwords } from "./provider.ts";

const PAGES = {
  signUp: "/join",
  confirmSignUp: "/join/confirm",
  forgotPassword: "/help/password",
  resetPassword: "/help/password/new?from=mail",
} as const;
const ORIGIN = "https://app.example";
const NEW = "another sentence of mine";

// Tracks: R077
Deno.test("pages of the application's own take the place of those of passwords(), in links, mails and redirects", () =>
  withPasswords(
    async ({ send, signUp, confirm, askReset, outbox, settle, clock, byPassword }) => {
      const start = await (await send("/signin?callbackUrl=/inside")).text();
      assert.match(start, /href="\/join\?callbackUrl=https%3A%2F%2Fapp\.example%2Finside"/);
      const asked = await send("/signin", { fields: { email: "ada@example.com" } });
      assert.match(await asked.text(), /href="\/help\/password"/);
      const token = "t".repeat(43);
      const ways: [from: string, to: string][] = [
        [
          "/signup?callbackUrl=/inside&next=//evil.example",
          "/join?callbackUrl=https%3A%2F%2Fapp.example%2Finside",
        ],
        ["/signup?callbackUrl=https://evil.example/", "/join"],
        [`/signup/confirm?token=${token}&ask=new`, `/join/confirm?token=${token}&ask=new`],
        ["/signup/confirm?token=%22%3E&error=%3Cb%3E", "/join/confirm"],
        ["/forgot?error=INVALID_LINK", "/help/password?error=INVALID_LINK"],
        [`/reset?token=${token}`, `/help/password/new?from=mail&token=${token}`],
      ];
      for (const [from, to] of ways) {
        const { status, headers } = await send(from);
        assert.deepEqual([status, headers.get("location")], [302, ORIGIN + to], from);
      }
      const cookie = everyCookie(await signUp("ada@example.com"));
      await settle();
      const link = outbox.at(-1)!.url;
      assert.equal(link, `${ORIGIN}/join/confirm?token=${tokenOf(outbox.at(-1)!)}`);
      const waiting = await (await send("/signup/sent", { cookie })).text();
      assert.match(waiting, /href="\/join"/);
      assert.equal((await confirm({}, { cookie })).status, 303);
      const secret = await askReset("ada@example.com");
      assert.equal(outbox.at(-1)!.url, `${ORIGIN}/help/password/new?from=mail&token=${secret}`);
      clock.now += 1000;
      assert.equal(
        (await send("/reset", { fields: { token: secret, password: NEW } })).status,
        303,
      );
      await settle();
      assert.equal(outbox.at(-1)!.url, `${ORIGIN}/help/password`);
      clock.now += 1000;
      assert.equal((await byPassword("ada@example.com", NEW)).status, 303);
    },
    {},
    { pages: PAGES, rateLimit: false },
  ));

Deno.test("what is wrong with a form is told on the application's own page, and on the built-in one where it has none to render", () =>
  withPasswords(
    async ({ send, signUp, outbox, settle, join, askReset }) => {
      const shown: string[] = [];
      const renderPage = (url: URL, status: number) => {
        shown.push(`${status} ${url.pathname}${url.search}`);
        return Promise.resolve(new Response("own page"));
      };
      const info = { clientAddress: "192.0.2.1", renderPage };
      await signUp("eva@example.com");
      await settle();
      const pending = tokenOf(outbox.at(-1)!);
      await join("ada@example.com");
      const reset = await askReset("ada@example.com");
      const cases: [path: string, fields: Record<string, string>, shown: string, built: RegExp][] =
        [
          [
            "/signup",
            { name: "Ada", email: "ada@example.com", password: "short", callbackUrl: "/inside" },
            "400 /join?name=Ada&email=ada%40example.com&callbackUrl=https%3A%2F%2Fapp.example%2Finside&error=INVALID_PASSWORD",
            /Use at least 15/,
          ],
          [
            "/signup/confirm",
            { token: pending, password: "not the one of it" },
            `401 /join/confirm?token=${pending}&error=INVALID_CREDENTIALS`,
            /That password is wrong/,
          ],
          [
            "/signup/confirm",
            { token: "x".repeat(43) },
            "400 /join/confirm?error=INVALID_LINK",
            /no longer works/,
          ],
          [
            "/forgot",
            { email: "ada" },
            "400 /help/password?email=ada&error=INVALID_EMAIL",
            /whole email/,
          ],
          [
            "/reset",
            { token: reset, password: "short" },
            `400 /help/password/new?from=mail&token=${reset}&error=INVALID_PASSWORD`,
            /Use at least 15/,
          ],
          [
            "/reset",
            { token: "x".repeat(43), password: PASSWORD },
            "400 /help/password/new?from=mail&error=INVALID_LINK",
            /no longer works/,
          ],
        ];
      for (const [path, fields, page, built] of cases) {
        const own = await send(path, { fields, info });
        assert.equal(await own.text(), "own page", path);
        assert.deepEqual([own.status, shown.pop()], [Number(page.slice(0, 3)), page]);
        const other = await send(path, { fields });
        assert.equal(other.status, own.status);
        assert.match(await other.text(), built, path);
      }
    },
    {},
    { pages: PAGES, rateLimit: false },
  ));

Deno.test("a page below the endpoints would lead in circles and is refused by name, unless it is the built-in one", async () => {
  function start(pages: Record<string, string>): Promise<Response | null> {
    const auth = createAuth({
      database: createMemoryStorage(),
      rateLimit: false,
      providers: [passwords({ sendMail() {} })],
      pages,
    });
    return auth.handle(new Request("http://localhost/auth/signup"), {});
  }
  for (
    const [page, path] of [
      ["signUp", "/auth/forgot"],
      ["forgotPassword", "/auth/signup?again=1"],
      ["resetPassword", "/auth/reset#new"],
      ["confirmSignUp", "https://evil.example/"],
      ["signUp", "//evil.example"],
    ] as const
  ) {
    await assert.rejects(
      async () => await start({ [page]: path }),
      (error) => error instanceof ConfigurationError && error.field === `pages.${page}`,
      path,
    );
  }
  const response = await start({ signUp: "/auth/signup", forgotPassword: "/auth/forgot" });
  assert.equal(response!.status, 200);
  await response!.body?.cancel();
});
