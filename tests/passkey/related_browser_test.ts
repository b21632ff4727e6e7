import {
  createAuth,
  createMemoryStorage,
  getUser,
  passkey,
  relatedOriginsResponse,
} from "@framework/auth";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import { PATIENCE } from "../support/browser.ts";
import { createDevice } from "./device.ts";

const RP_ID = "app.test";
const SIBLING = "https://shop.test";
const HOSTS = [RP_ID, "shop.test", "evil.test"];

/** Sites of three domains over https, since browsers ask `https://app.test/.well-known/webauthn` and no other port. */
interface Sites {
  port: number;
  /** SHA-256 of the certificate's public key, as Chromium wants it. */
  key: string;
  /** Requests for the related origins. */
  asked: string[];
  close(): Promise<void>;
}

function createCertificate(folder: string): { key: string; cert: string } {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-keyout", keyFile, "-out", certFile, "-days", "2", "-subj", `/CN=${RP_ID}`],
    ...["-addext", `subjectAltName=${HOSTS.map((host) => `DNS:${host}`).join(",")}`],
  ], { stdio: "ignore" });
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
}

async function serve(folder: string): Promise<Sites> {
  const certificate = createCertificate(folder);
  const { publicKey } = new X509Certificate(certificate.cert);
  const asked: string[] = [];
  const database = createMemoryStorage();
  const applications = new Map(HOSTS.map((host) => [
    host,
    createAuth({
      baseUrl: `https://${host}`,
      database,
      rateLimit: false,
      cookies: { sessionToken: { hostOnly: true } },
      providers: [passkey({
        rpName: "The application",
        rpId: RP_ID,
        relatedOrigins: [SIBLING],
        signUp: true,
      })],
    }),
  ]));
  const server = createServer(certificate, async (incoming, outgoing) => {
    const body = incoming.method === "POST"
      ? await new Response(incoming as never).text().catch(() => undefined)
      : null;
    // The browser has ended the request, as one that is closed does.
    if (body === undefined) return;
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const { method = "GET", url = "/" } = incoming;
    const host = String(incoming.headers.host);
    const auth = applications.get(host)!;
    const request = new Request(`https://${host}${url}`, { method, headers, body });
    const response = await auth.fetch(request, {}, {
      clientAddress: "127.0.0.1",
      next() {
        if (url === "/.well-known/webauthn") {
          asked.push(host);
          return relatedOriginsResponse();
        }
        return new Response(`<!doctype html><h1>Hello ${getUser()?.name ?? "nobody"}</h1>`, {
          headers: { "content-type": "text/html" },
        });
      },
    });
    outgoing.statusCode = response.status;
    for (const [name, value] of response.headers) {
      if (name !== "set-cookie") outgoing.setHeader(name, value);
    }
    outgoing.setHeader("set-cookie", response.headers.getSetCookie());
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    key: createHash("sha256").update(publicKey.export({ type: "spki", format: "der" }))
      .digest("base64"),
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const executablePath = await findChromium();

async function launch({ key, port }: Sites): Promise<Browser> {
  return await chromium.launch({
    executablePath: executablePath!,
    timeout: 180_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      `--ignore-certificate-errors-spki-list=${key}`,
      `--host-resolver-rules=${HOSTS.map((host) => `MAP ${host}:443 127.0.0.1:${port}`).join(",")}`,
    ],
  });
}

// Tracks: R124
Deno.test({
  name:
    "Chromium signs in on the page of a related origin with the passkey of the domain, and on no other's",
  ignore: executablePath === null,
  sanitizeResources: false,
  sanitizeOps: false,
  async fn() {
    const folder = await Deno.makeTempDir();
    const sites = await serve(folder);
    const browser = await launch(sites);
    try {
      const device = await createDevice({
        async newContext() {
          const context = await browser.newContext();
          context.setDefaultTimeout(PATIENCE);
          return context;
        },
      } as never, { list: false });
      const { page } = device;
      await page.goto(`https://${RP_ID}/auth/signin?callbackUrl=/inside`);
      await page.getByText("Create an account with a passkey").first().click();
      await page.getByLabel("Your name").fill("Grace");
      await page.getByRole("button", { name: "Create an account with a passkey" }).click();
      await page.waitForURL(`https://${RP_ID}/inside`);
      assert.deepEqual(sites.asked, []);
      const { credentials } = await device.command("getCredentials");
      const [credential] = credentials as { userHandle: string; userName: string }[];
      assert.equal(atob(credential!.userHandle).length, 32);
      assert.equal(credential!.userName, "Grace");

      await page.goto(`${SIBLING}/auth/signin?callbackUrl=/inside`);
      await page.getByRole("button", { name: "Continue with a passkey" }).click();
      await page.waitForURL(`${SIBLING}/inside`);
      await page.getByRole("heading", { name: "Hello Grace" }).waitFor();
      // The browser itself has asked the domain of the passkeys, for the ceremony and for what it tells the manager.
      assert.deepEqual(new Set(sites.asked), new Set([RP_ID]));

      await page.goto("https://evil.test/auth/signin?callbackUrl=/inside");
      await page.getByRole("button", { name: "Continue with a passkey" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "do not work at this address" });
      await alert.waitFor();
      assert.deepEqual(new Set(sites.asked), new Set([RP_ID]));
      assert.deepEqual(device.complaints, []);
    } finally {
      await browser.close();
      await sites.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
