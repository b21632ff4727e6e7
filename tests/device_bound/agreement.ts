// What servers that share a database must agree on, of requests that reach them at the same moment.
import assert from "node:assert/strict";
import type { TestApplication } from "../../auth/tests/application.ts";
import { createDevice, type Device } from "../../auth/tests/device.ts";

const LONG = "framework.session-token";

/** Address that the servers believe to have. */
export const ORIGIN = "https://app.example";

/** Sends to the servers in turn, so that what is sent at once goes to all of them. */
export function sendInTurn(
  servers: readonly ((url: string, init: RequestInit) => Promise<Response>)[],
): TestApplication["send"] {
  let turn = 0;
  return async (path, { method = "GET", fields, cookie = "", headers = {} } = {}) => {
    // Miniflare itself takes no other origin than its own.
    const { origin: _origin, ...others } = headers;
    return await servers[turn++ % servers.length]!(path === "/" ? path : `/auth${path}`, {
      method: fields === undefined ? method : "POST",
      redirect: "manual",
      headers: {
        cookie,
        "sec-fetch-site": "same-origin",
        ...others,
        ...(fields && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(fields && { body: new URLSearchParams(fields).toString() }),
    });
  };
}

/** Registers, refreshes and proves wrongly, many times at one moment. */
export async function agreeOnDevices(send: TestApplication["send"]): Promise<void> {
  const ada = await createDevice({ send });
  const seen = async ({ cookie }: Device) => await (await send("/", { cookie: cookie() })).text();

  // Eight devices with the cookie and the challenge of one sign-in: one of them has the session.
  const signedIn = await ada.signIn();
  assert.equal(signedIn.status, 303, await signedIn.text());
  assert.ok(ada.offered !== null);
  const devices = await Promise.all(Array.from({ length: 8 }, () => createDevice({ send })));
  const bound = await Promise.all(devices.map(async (device) => {
    device.jar.set(LONG, ada.jar.get(LONG)!);
    const { status } = await device.ask("start", await device.prove(ada.offered!));
    return status;
  }));
  assert.deepEqual(bound.toSorted(), [200, ...Array<number>(7).fill(400)]);
  const owner = devices[bound.indexOf(200)]!;
  assert.equal(await seen(owner), "ada true");

  // One proof at both: it counts once. Then proofs of several challenges, which overlap.
  await ada.signIn();
  assert.equal((await ada.register()).status, 200);
  const proof = await ada.prove(await ada.challenge());
  const once = await Promise.all(Array.from({ length: 25 }, () => ada.ask("refresh", proof)));
  assert.equal(once.filter(({ status }) => status === 200).length, 1);
  assert.ok(once.every(({ status }) => status === 200 || status === 403));
  for (let round = 0; round < 4; round++) {
    assert.equal((await ada.refresh()).status, 200);
    assert.deepEqual([await seen(ada), await seen(ada)], ["ada true", "ada true"]);
  }

  // Many wrong proofs at once end it at both.
  const cookies = ada.cookie();
  const [thief] = devices as [Device];
  const wrong = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const challenge = await ada.challenge();
      return (await ada.ask("refresh", await thief.prove(challenge))).status;
    }).map((one) => one.catch(() => 400)),
  );
  assert.ok(wrong.every((status) => status === 400), wrong.join());
  for (let round = 0; round < 2; round++) {
    assert.equal(await (await send("/", { cookie: cookies })).text(), "undefined undefined");
  }
  assert.equal((await ada.refresh()).status, 400);
}
