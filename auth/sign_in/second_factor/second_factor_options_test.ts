import assert from "node:assert/strict";
import { createAuth } from "../../app/create_auth.ts";
import { ConfigurationError } from "../../errors.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { asWorker } from "../../tests/as_worker.ts";
import { inEnvironment } from "../../tests/in_environment.ts";
import { ADA, withFactor } from "../../tests/second_factor_application.ts";
import { secondFactor } from "./provider.ts";

Deno.test("secondFactor() without sendMail shows its mails to the developer", async () => {
  for (const environment of ["development", undefined]) {
    const written = await inEnvironment(environment, () =>
      withFactor(
        async (application) => {
          await application.enrol(await application.member());
          await application.settle();
          assert.deepEqual(application.news, []);
        },
        "database",
        { sendMail: undefined } as never,
      ));
    assert.match(
      written,
      /To: ada@example\.com\nSubject: [^\n]+\n[^]*\/auth\/account\n/,
    );
  }
  await inEnvironment("development", async () => {
    const auth = createAuth({
      baseUrl: "http://localhost:8000",
      secret: "0123456789abcdef0123456789abcdef",
      database: createMemoryStorage(),
      providers: [secondFactor()],
    });
    const request = new Request("http://localhost:8000/auth/dev/mail");
    const page = await auth.handle(request, {}, { clientAddress: "127.0.0.1" });
    assert.equal(page?.status, 200);
    assert.match(await page!.text(), new RegExp(`To ${ADA}`));
  });
});

Deno.test("secondFactor() without sendMail is refused in production, and in a worker of which nothing is said", async () => {
  const refused = (error: unknown) =>
    error instanceof ConfigurationError && error.field === "sendMail" &&
    error.message.includes("secondFactor({ sendMail: (mail) => … })");
  await inEnvironment("production", () => assert.throws(() => secondFactor(), refused));
  await inEnvironment("production", () => assert.throws(() => secondFactor({}), refused));
  await inEnvironment(
    undefined,
    () => asWorker(() => Promise.resolve(assert.throws(() => secondFactor(), refused))),
  );
  await inEnvironment("production", () => assert.ok(secondFactor({ sendMail: () => {} })));
});
