import assert from "node:assert/strict";
import { onFreshRequests } from "./contender.ts";
import { freshCheck } from "./fresh_check.ts";
import type { RequestContender } from "./rounds.ts";

const COOKIE = "theme=dark; session=aaaaaaaaaaaaaaaaaaaa; lang=en";

function contender(isRight: (cookie: string) => boolean): RequestContender {
  const request = new Request("https://app.example/", { headers: { cookie: COOKIE } });
  return {
    name: "it",
    request,
    run(given = request) {
      if (!isRight(given.headers.get("cookie")!)) throw new Error("Nobody is signed in");
    },
  };
}

function requestOf(cookie: string): Request {
  return new Request("https://app.example/", { headers: { cookie } });
}

Deno.test("freshCheck() times nobody who takes a changed token or an ended session, or refuses the right one", async () => {
  const ended = requestOf("session=bbbbbbbbbbbbbbbbbbbb");
  await freshCheck(contender((cookie) => cookie === COOKIE), { ended });
  await assert.rejects(
    freshCheck(contender(() => true)),
    /takes a token that somebody has changed/,
  );
  const lax = contender((cookie) => !cookie.includes("A"));
  await assert.rejects(freshCheck(lax, { ended }), /takes a session that has ended/);
  await assert.rejects(freshCheck(contender(() => false)), /Nobody is signed in/);
});

Deno.test("freshCheck() gives every job a request of its own, of each of those who are signed in", async () => {
  const seen: Request[] = [];
  const cookies = ["session=aaaaaaaaaaaaaaaaaaaa", "session=cccccccccccccccccccc"];
  const it = contender((cookie) => cookies.includes(cookie));
  const job = await freshCheck({
    ...it,
    run(request) {
      it.run(request);
      seen.push(request!);
    },
  }, { requests: cookies.map(requestOf) });
  seen.length = 0;
  job.prepare!(4);
  for (let turn = 0; turn < 5; turn++) job();
  assert.equal(new Set(seen).size, 5);
  assert.deepEqual(new Set(seen.map(({ headers }) => headers.get("cookie"))), new Set(cookies));
});

Deno.test("onFreshRequests() makes its requests when it is told to, and what is missing when it runs out", () => {
  let made = 0;
  const job = onFreshRequests(() => {
    made++;
    return requestOf(COOKIE);
  }, () => {});
  job.prepare!(3);
  assert.equal(made, 3);
  for (let turn = 0; turn < 3; turn++) job();
  assert.equal(made, 3);
  job();
  assert.equal(made, 4);
});

Deno.test("onFreshRequests() goes on after it has run out of what was ready, again and again", () => {
  let made = 0;
  const seen = new Set<Request>();
  const job = onFreshRequests(() => {
    made++;
    return requestOf(COOKIE);
  }, (request) => seen.add(request));
  for (let round = 1; round <= 3; round++) {
    job.prepare!(4);
    assert.equal(made, 4 * round);
    for (let turn = 0; turn < 4; turn++) job();
    assert.equal(seen.size, 4 * round);
  }
});
