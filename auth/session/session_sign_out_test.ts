import assert from "node:assert/strict";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import { createTestApplication } from "../tests/application.ts";
import { userAt } from "../tests/during.ts";
import { COOKIE, createTokenApplication } from "../tests/token_application.ts";

function inTokens(): ReturnType<typeof createTokenApplication> {
  return createTokenApplication({
    session: { bearer: true, revocation: createMemoryRevocationStore(() => 0) },
  });
}

const APPLICATIONS = [
  () => createTestApplication({ session: { strategy: "database", bearer: true } }),
  inTokens,
];

// Tracks: R034
Deno.test("signing out ends the session of every token that came, believed or not", async () => {
  for (const make of APPLICATIONS) {
    const application = make();
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => application.signIn()));
    const token = third!.split("=")[1]!;
    const response = await application.send("/signout", {
      method: "POST",
      cookie: `${first}; ${second}`,
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(response.status, 303);
    assert.match(response.headers.getSetCookie().join(), /Max-Age=0/);
    for (const cookie of [first!, second!, third!]) {
      assert.equal(await userAt(application, cookie), null);
    }
    application.close();
  }
});

Deno.test("signing out ends what is in one cookie and in chunks beside it", async () => {
  const application = inTokens();
  const [first, second] = await Promise.all([1, 2].map(() => application.signIn()));
  const token = second!.split("=")[1]!;
  const chunks = `${COOKIE}.0=${token.slice(0, 20)}; ${COOKIE}.1=${token.slice(20)}`;
  await application.send("/signout", { method: "POST", cookie: `${first}; ${chunks}` });
  assert.equal(await userAt(application, first!), null);
  assert.equal(await userAt(application, second!), null);
  application.close();
});

// What a request at the same time may just be giving it.
Deno.test("signing out takes the session cookie away from a browser that sent none", async () => {
  const application = createTestApplication({ cookies: { sessionToken: { hostOnly: true } } });
  const response = await application.send("/signout", { method: "POST" });
  const gone = response.headers.getSetCookie().filter((line) => line.includes("Max-Age=0"))
    .map((line) => line.split("=")[0]);
  assert.ok(gone.includes("__Host-framework.session-token"), gone.join());
  assert.ok(gone.includes("framework.session-token"), gone.join());
  application.close();
});

Deno.test("signing out with a thousand cookies asks the database for a few", async () => {
  const application = createTestApplication();
  const cookies = Array.from(
    { length: 1000 },
    (_, index) => `${COOKIE}=${String(index).padStart(43, "x")}`,
  );
  // The first request reads the version of the tables too.
  await application.send("/signout", { method: "POST", cookie: cookies[0]! });
  const before = application.database.trips;
  await application.send("/signout", { method: "POST", cookie: cookies.join("; ") });
  assert.ok(application.database.trips - before <= 16);
  application.close();
});
