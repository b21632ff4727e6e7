import assert from "node:assert/strict";
import process from "node:process";
import { asWorker } from "../tests/as_worker.ts";
import { isPublicAddress } from "../lib/public_address.ts";
import { createPublicFetch, publicFetchIn } from "./public_fetch.ts";
import { isPublicWebhookUrl } from "./webhook_address.ts";

const URL_OF_RECEIVER = "https://hooks.customer.example/in";
/** One address of every network that is not public. */
const SPECIAL = [
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"],
  ...["168.63.129.16", "169.254.169.254", "172.16.0.1", "192.0.0.192", "192.0.2.1"],
  ...["192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1"],
  ...["239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1"],
  ...["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1"],
  ...["64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:10::1", "2001:20::1"],
  ...["2001:db8::1", "2002:7f00:1::", "2002:808:808::", "3ffe::1", "3fff::1", "5f00::1"],
  ...["fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"],
  ...["localhost", ""],
];

Deno.test("publicFetch() connects to no special address, alone or beside public ones", async () => {
  for (const special of SPECIAL) {
    for (const addresses of [[special], ["8.8.8.8", special], [special, "2606:4700::1111"]]) {
      const publicFetch = publicFetchIn({
        resolve: () => Promise.resolve(addresses),
        isAllowed: isPublicAddress,
        isAllowedUrl: isPublicWebhookUrl,
        get port(): number {
          return assert.fail(`It would connect to ${addresses}`);
        },
      });
      await assert.rejects(publicFetch(URL_OF_RECEIVER), { code: "DELIVERY_ADDRESS" }, special);
    }
  }
});

Deno.test("publicFetch() refuses an address before anything is made of it, and shows none of its credentials", async () => {
  const publicFetch = createPublicFetch();
  for (
    const input of [
      "https://user:is-secret@hooks.customer.example/",
      new URL("https://user:is-secret@hooks.customer.example/"),
      "https://127.0.0.1/is-secret",
      new Request("https://169.254.169.254/is-secret"),
      "/is-secret",
    ]
  ) {
    await assert.rejects(publicFetch(input), (error: Error & { code?: string }) => {
      assert.equal(error.code, "DELIVERY_ADDRESS");
      assert.doesNotMatch(`${error.message}${error.stack}`, /is-secret/);
      return true;
    });
  }
});

Deno.test("publicFetch() does nothing for a signal that has ended", async () => {
  const publicFetch = publicFetchIn({
    resolve: () => assert.fail("It asked"),
    isAllowed: () => true,
    isAllowedUrl: () => true,
    port: 443,
  });
  const reason = new Error("Over");
  const signal = AbortSignal.abort(reason);
  await assert.rejects(publicFetch(URL_OF_RECEIVER, { signal }), reason);
  await assert.rejects(publicFetch(new Request(URL_OF_RECEIVER, { signal })), reason);
});

Deno.test("createPublicFetch() says which Node it needs where it could not look at addresses", () => {
  const own = Object.getOwnPropertyDescriptor(process, "getBuiltinModule");
  Object.defineProperty(process, "getBuiltinModule", { value: undefined, configurable: true });
  try {
    assert.throws(() => createPublicFetch(), /Node from 20\.16 or 22\.3 on/);
  } finally {
    delete (process as { getBuiltinModule?: unknown }).getBuiltinModule;
    if (own !== undefined) Object.defineProperty(process, "getBuiltinModule", own);
  }
  createPublicFetch();
});

Deno.test("in a worker the platform's fetch gets what the rules of addresses let through, and follows no redirect", async () => {
  await asWorker(async () => {
    const own = globalThis.fetch;
    const asked: Request[] = [];
    globalThis.fetch = (input, init) => {
      asked.push(new Request(input, init));
      return Promise.resolve(new Response(null, { status: 302 }));
    };
    try {
      const publicFetch = createPublicFetch();
      const init = { method: "POST", body: "{}", redirect: "follow" } as const;
      assert.equal((await publicFetch(URL_OF_RECEIVER, init)).status, 302);
      await assert.rejects(publicFetch("https://10.0.0.1/", init), { code: "DELIVERY_ADDRESS" });
    } finally {
      globalThis.fetch = own;
    }
    assert.deepEqual(asked.map(({ method, url, redirect }) => [method, url, redirect]), [
      ["POST", URL_OF_RECEIVER, "manual"],
    ]);
  });
});
