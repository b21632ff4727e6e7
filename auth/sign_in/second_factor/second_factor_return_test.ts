import assert from "node:assert/strict";
import { requireAuth, requireRecentAuth } from "../../session/operations.ts";
import { authMiddleware } from "../../session/auth_middleware.ts";
import { type FactorApplication, withFactor } from "../../tests/second_factor_application.ts";
import { requireSecondFactor } from "./require.ts";

/** The place to which a form is led that must prove more, and the `callbackUrl` in it. */
async function leads(
  { auth }: FactorApplication,
  work: () => unknown,
  headers: Record<string, string>,
): Promise<[path: string | null, callbackUrl: string | null]> {
  const request = new Request("https://app.example/payments/send", {
    method: "POST",
    headers: { origin: "https://app.example", accept: "text/html", ...headers },
    body: new URLSearchParams({ amount: "4711" }),
  });
  const response = await auth.run(request, {}, undefined, async () => {
    await work();
    return new Response("inside");
  });
  const location = response.headers.get("location");
  assert.equal(location?.includes("4711") ?? false, false);
  if (location === null) return [null, null];
  const { pathname, searchParams } = new URL(location);
  return [pathname, searchParams.get("callbackUrl")];
}

// Tracks: R077, R176
Deno.test("a form that must prove more comes back to the page that has it, if that page is of the application", () =>
  withFactor(async (application) => {
    const page = "https://app.example/payments?to=grace";
    const nowhere = await leads(application, () => requireAuth(), { referer: page });
    assert.deepEqual(nowhere, ["/auth/signin", "/payments?to=grace"]);
    const member = await application.member();
    const cookie = () => [...member.cookies].map((pair) => pair.join("=")).join("; ");
    const none = await leads(application, () => requireSecondFactor(), {
      cookie: cookie(),
      referer: page,
    });
    assert.deepEqual(none, ["/auth/second-factor/setup", "/payments?to=grace"]);
    const { secret } = await application.enrol(member);
    application.wait(11 * 60_000);
    const works: [() => unknown, string][] = [
      [() => requireSecondFactor({ fresh: true }), "/auth/second-factor"],
      [() => requireRecentAuth(), "/auth/signin"],
    ];
    for (const [work, path] of works) {
      const back = await leads(application, work, { cookie: cookie(), referer: page });
      assert.deepEqual(back, [path, "/payments?to=grace"]);
      for (
        const referer of [
          "https://evil.example/payments",
          "https://app.example//evil.example/",
          "https://app.example@evil.example/",
          "https://evil.app.example/",
        ]
      ) {
        const lured = await leads(application, work, { cookie: cookie(), referer });
        assert.deepEqual(lured, [path, null], referer);
      }
      assert.deepEqual(await leads(application, work, { cookie: cookie() }), [path, null]);
    }
    // To the page and its form, which is not sent again.
    await application.begin(member);
    application.wait(30_000);
    const proved = await application.answer(member, await application.code(secret), {
      callbackUrl: "/payments?to=grace",
    });
    assert.equal((await proved.json()).redirectTo, "https://app.example/payments?to=grace");
  }));

// Tracks: R077
Deno.test("authMiddleware() brings a form back to its page in an application's own sign-in page", () =>
  withFactor(async ({ auth }) => {
    const guard = authMiddleware({ unauthenticatedRedirect: "/login" });
    for (
      const [referer, location] of [
        ["https://app.example/orders?page=2", "/login?callbackUrl=%2Forders%3Fpage%3D2"],
        ["https://evil.example/orders", "/login"],
      ] as const
    ) {
      const request = new Request("https://app.example/orders/new", {
        method: "POST",
        headers: { origin: "https://app.example", referer },
      });
      const response = await auth.run(
        request,
        {},
        undefined,
        (context) => guard(request, () => Promise.resolve(new Response("inside")), context),
      );
      assert.equal(response.headers.get("location"), `https://app.example${location}`);
    }
  }));
