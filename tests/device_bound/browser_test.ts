import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import { createAuth, credentials, deviceBound, getSession, getUser } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { findWholeChromium } from "../../scripts/chromium.ts";

const LONG = "framework.session-token";
const SHORT = `${LONG}-device`;

/** A server over https, whose certificate the browser is told to accept: over http Chromium binds no session. */
interface Site {
  origin: string;
  /** SHA-256 of the certificate's public key, as Chromium wants it. */
  key: string;
  clock: { ahead: number };
  /** Requests of the protocol, with the status of the answer. */
  protocol: string[];
  close(): Promise<void>;
}

function createCertificate(folder: string): { key: string; cert: string } {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-keyout", keyFile, "-out", certFile, "-days", "2", "-subj", "/CN=app.test"],
    ...["-addext", "subjectAltName=DNS:app.test"],
  ], { stdio: "ignore" });
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
}

async function serve(folder: string, maxAge: number): Promise<Site> {
  const certificate = createCertificate(folder);
  const clock = { ahead: 0 };
  const file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  const site: Site = {
    origin: "",
    key: createHash("sha256").update(
      new X509Certificate(certificate.cert).publicKey.export({ type: "spki", format: "der" }),
    ).digest("base64"),
    clock,
    protocol: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          file.close();
          resolve();
        });
      }),
  };
  const server = createServer(certificate, async (incoming, outgoing) => {
    const body = incoming.method === "POST" ? await new Response(incoming as never).text() : null;
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) {
      if (!name.startsWith(":")) headers.set(name, String(value));
    }
    const { method = "GET", url = "/" } = incoming;
    const request = new Request(`${site.origin}${url}`, { method, headers, body });
    const response = await auth.fetch(request, {}, {
      clientAddress: "127.0.0.1",
      next: () =>
        new Response(`<p id="who">${getUser()?.id} ${getSession()?.bound}</p>`, {
          headers: { "content-type": "text/html" },
        }),
    });
    if (url.startsWith("/auth/device/")) {
      const proof = headers.has("secure-session-response") ? " proof" : "";
      site.protocol.push(`${url.slice("/auth/device/".length)}${proof} ${response.status}`);
    }
    outgoing.statusCode = response.status;
    for (const [name, value] of response.headers) {
      if (name !== "set-cookie") outgoing.setHeader(name, value);
    }
    outgoing.setHeader("set-cookie", response.headers.getSetCookie());
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  site.origin = `https://app.test:${port}`;
  const auth = createAuth({
    database,
    baseUrl: site.origin,
    now: () => Date.now() + clock.ahead,
    session: { deviceBound: deviceBound({ maxAge, sendMail: () => {} }) },
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
    })],
    pages: { signIn: "/login" },
  });
  await auth.migrate();
  return site;
}

const executablePath = await findWholeChromium();

async function launch(site: Site): Promise<Browser> {
  return await chromium.launch({
    executablePath: executablePath!,
    timeout: 180_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      `--ignore-certificate-errors-spki-list=${site.key}`,
      "--host-resolver-rules=MAP app.test 127.0.0.1",
      // Chromium asks few times in nine minutes, and the cookies of this test live for seconds.
      "--disable-features=DeviceBoundSessionsRefreshQuota,DeviceBoundSessionRefreshQuota",
      "--enable-features=DeviceBoundSessions,EnableBoundSessionCredentialsSoftwareKeysForManualTesting",
    ],
  });
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`${what} did not come`);
}

async function nameOf(context: BrowserContext, name: string): Promise<string | undefined> {
  return (await context.cookies()).find((cookie) => cookie.name === name)?.value;
}

Deno.test({
  name:
    "Chromium binds its session, proves its device ahead of time, and a copied cookie jar is refused after the short life",
  ignore: executablePath === null,
  sanitizeResources: false,
  sanitizeOps: false,
  async fn() {
    const folder = await Deno.makeTempDir();
    const site = await serve(folder, 8);
    const browser = await launch(site);
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      const events: string[] = [];
      cdp.on(
        "Network.deviceBoundSessionEventOccurred" as never,
        (event: Record<string, Record<string, string>>) =>
          void events.push(
            event.creationEventDetails?.fetchResult ?? event.refreshEventDetails?.refreshResult ??
              "other",
          ),
      );
      await cdp.send("Network.enable");
      await cdp.send("Network.enableDeviceBoundSessions" as never, { enable: true } as never);
      await page.goto(`${site.origin}/`);
      const form = '<form method="post" action="/auth/signin/credentials">' +
        '<input name="pin" value="1234"><button>Go</button></form>';
      await page.evaluate(`document.body.innerHTML = ${JSON.stringify(form)}`);
      await page.click("button");
      await until("the registration", () => site.protocol.includes("start proof 200"));
      await until("the short cookie", async () => await nameOf(context, SHORT) !== undefined);
      await page.goto(`${site.origin}/`);
      assert.equal(await page.textContent("#who"), "ada true");

      // The jar of the browser, copied while it still opens the session.
      const thief = await browser.newContext();
      await thief.addCookies(await context.cookies());
      const stolen = await thief.newPage();
      await stolen.goto(`${site.origin}/`);
      assert.equal(await stolen.textContent("#who"), "ada true");

      // After the short life the browser proves its device before it sends its request, and the copy opens nothing.
      await until(
        "the end of the short cookie",
        async () => await nameOf(context, SHORT) === undefined,
      );
      const asked = site.protocol.length;
      await page.goto(`${site.origin}/later`);
      assert.equal(await page.textContent("#who"), "ada true");
      assert.ok(site.protocol.slice(asked).includes("refresh proof 200"), site.protocol.join());
      site.clock.ahead += 8000;
      await stolen.goto(`${site.origin}/`);
      assert.equal(await stolen.textContent("#who"), "undefined undefined");
      site.clock.ahead -= 8000;

      // Whoever has the long cookie alone is a visitor, in every browser.
      const other = await browser.newContext();
      await other.addCookies((await context.cookies()).filter(({ name }) => name === LONG));
      const alone = await other.newPage();
      await alone.goto(`${site.origin}/`);
      assert.equal(await alone.textContent("#who"), "undefined undefined");

      // The next proof follows at the end of the next short cookie.
      await until("the second end", async () => await nameOf(context, SHORT) === undefined);
      await page.goto(`${site.origin}/again`);
      assert.equal(await page.textContent("#who"), "ada true");

      assert.ok(events.includes("Success") && events.includes("Refreshed"), events.join());
      assert.ok(!site.protocol.some((line) => line.endsWith("400")), site.protocol.join());
    } finally {
      await browser.close();
      await site.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
