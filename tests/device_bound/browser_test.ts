import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { join } from "node:path";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import { createAuth, credentials, deviceBound, getSession, getUser } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findWholeChromium } from "../../scripts/chromium.ts";
import { PATIENCE } from "../support/browser.ts";
import { until, within } from "../support/until.ts";

const LONG = "framework.session-token";
const SHORT = `${LONG}-device`;

/** A server over https, whose certificate the browser is told to accept: over http Chromium binds no session. */
interface Site {
  origin: string;
  clock: { ahead: number };
  /** Requests of the protocol, with the status of the answer. */
  protocol: string[];
  /** Status of every answer while the service is down. Default: it is up. */
  down: number | null;
  /** Refuses connections. */
  stop(): Promise<void>;
  /** Takes them again, at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

interface Certificate {
  key: string;
  cert: string;
}

function createCertificate(folder: string): Certificate {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-keyout", keyFile, "-out", certFile, "-days", "2", "-subj", "/CN=app.test"],
    ...["-addext", "subjectAltName=DNS:app.test"],
  ], { stdio: "ignore" });
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
}

async function serve(certificate: Certificate, maxAge: number): Promise<Site> {
  const clock = { ahead: 0 };
  const file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  const site: Site = {
    origin: "",
    clock,
    protocol: [],
    down: null,
    stop,
    start: () => new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve())),
    async close() {
      await stop();
      file.close();
    },
  };

  function stop(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      // Those too on which nothing was asked yet, which closeAllConnections() leaves open.
      for (const socket of sockets) socket.destroy();
    });
  }

  const server = createServer(certificate, async (incoming, outgoing) => {
    if (site.down !== null) {
      if (incoming.url?.startsWith("/auth/device/")) site.protocol.push(`down ${site.down}`);
      outgoing.statusCode = site.down;
      outgoing.end("The service is down");
      return;
    }
    const body = incoming.method === "POST"
      ? await new Response(incoming as never).text().catch(() => undefined)
      : null;
    // The browser has ended the request, as one that is closed does.
    if (body === undefined) return;
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
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
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

async function launch({ cert }: Certificate): Promise<Browser> {
  // SHA-256 of the certificate's public key, as Chromium wants it.
  const key = createHash("sha256").update(
    new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" }),
  ).digest("base64");
  return await chromium.launch({
    executablePath: executablePath!,
    timeout: 180_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      `--ignore-certificate-errors-spki-list=${key}`,
      "--host-resolver-rules=MAP app.test 127.0.0.1",
      "--enable-features=DeviceBoundSessions,EnableBoundSessionCredentialsSoftwareKeysForManualTesting",
    ],
  });
}

/** Shared by all tests: a profile of their own keeps their sessions apart, and a start of the browser takes longest. */
let certificate: Certificate;
let browser: Browser | undefined;
Deno.test.beforeAll(async () => {
  if (executablePath === null) return;
  const folder = await Deno.makeTempDir();
  certificate = createCertificate(folder);
  await Deno.remove(folder, { recursive: true });
  browser = await launch(certificate);
});
Deno.test.afterAll(async () => {
  if (browser !== undefined) await within("the browser's end", browser.close());
});

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await within("a profile of the browser", browser.newContext());
  context.setDefaultTimeout(PATIENCE);
  return context;
}

function newPage(context: BrowserContext): Promise<Page> {
  return within("a page of the browser", context.newPage());
}

function cookiesOf(context: BrowserContext): ReturnType<BrowserContext["cookies"]> {
  return within("the browser's cookies", context.cookies());
}

async function nameOf(context: BrowserContext, name: string): Promise<string | undefined> {
  return (await cookiesOf(context)).find((cookie) => cookie.name === name)?.value;
}

/** Signs in, and waits for the session to be bound. */
async function signIn(site: Site, context: BrowserContext, page: Page): Promise<void> {
  await page.goto(`${site.origin}/`);
  const form = '<form method="post" action="/auth/signin/credentials">' +
    '<input name="pin" value="1234"><button>Go</button></form>';
  const written = page.evaluate(`document.body.innerHTML = ${JSON.stringify(form)}`);
  await within("the form", written);
  await page.click("button");
  await until(
    () => Promise.resolve(site.protocol.includes("start proof 200")),
    () => `The registration did not come, after ${site.protocol}`,
  );
  await until(
    async () => await nameOf(context, SHORT) !== undefined,
    () => "The short cookie did not come",
  );
}

/**
 * Ends the short cookie, as its time does, without waiting for that: Chromium signs six times in nine minutes, and asks ahead
 * of time, again and again, where the life of a cookie is seconds.
 */
async function endShort(context: BrowserContext): Promise<void> {
  await within("the short cookie's end", context.clearCookies({ name: SHORT }));
}

/** Runs a test with a profile of the browser that is signed in, and its session bound. */
function testInBrowser(
  name: string,
  maxAge: number,
  test: (
    parts: { site: Site; open(): Promise<BrowserContext>; context: BrowserContext; page: Page },
  ) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: executablePath === null,
    sanitizeResources: false,
    sanitizeOps: false,
    async fn() {
      const site = await serve(certificate, maxAge);
      const contexts: BrowserContext[] = [];
      async function open(): Promise<BrowserContext> {
        const context = await newContext(browser!);
        contexts.push(context);
        return context;
      }
      try {
        const context = await open();
        const page = await newPage(context);
        await signIn(site, context, page);
        await test({ site, open, context, page });
      } finally {
        for (const context of contexts) await within("the profile's end", context.close());
        await within("the server's end", site.close());
      }
    },
  });
}

const LIFE = 600_000;

testInBrowser(
  "Chromium binds its session, and a copied cookie jar is refused after the short life",
  LIFE / 1000,
  async ({ site, open, context, page }) => {
    await page.goto(`${site.origin}/`);
    assert.equal(await page.textContent("#who"), "ada true");

    // The jar of the browser, copied while it still opens the session.
    const thief = await open();
    await thief.addCookies(await cookiesOf(context));
    const stolen = await newPage(thief);
    await stolen.goto(`${site.origin}/`);
    assert.equal(await stolen.textContent("#who"), "ada true");

    // After the short life the browser proves its device before it sends its request, and the copy opens nothing.
    site.clock.ahead += LIFE;
    await endShort(context);
    const asked = site.protocol.length;
    await page.goto(`${site.origin}/later`);
    assert.equal(await page.textContent("#who"), "ada true");
    assert.deepEqual(site.protocol.slice(asked), ["refresh 403", "refresh proof 200"]);
    await stolen.goto(`${site.origin}/`);
    assert.equal(await stolen.textContent("#who"), "undefined undefined");

    // Whoever has the long cookie alone is a visitor, in every browser.
    await thief.clearCookies();
    await thief.addCookies((await cookiesOf(context)).filter(({ name }) => name === LONG));
    await stolen.goto(`${site.origin}/`);
    assert.equal(await stolen.textContent("#who"), "undefined undefined");
    assert.ok(!site.protocol.some((line) => line.endsWith("400")), site.protocol.join());
  },
);

testInBrowser(
  "sign-ins that follow each other in Chromium end no session by the keys of those before",
  LIFE / 1000,
  async ({ site, context, page }) => {
    const refused: string[] = [];
    for (let round = 0; round < 2; round++) {
      site.protocol.length = 0;
      await signIn(site, context, page);
      refused.push(...site.protocol.filter((line) => line.includes("400")));
    }
    // Each key that has no session any more is dropped, and none of them makes a proof.
    for (let round = 0; round < 2; round++) {
      site.clock.ahead += LIFE;
      await endShort(context);
      await page.goto(`${site.origin}/`);
      assert.equal(await page.textContent("#who"), "ada true", site.protocol.join());
    }
    assert.deepEqual(new Set(refused), new Set(["refresh 400"]));
  },
);

testInBrowser(
  "Chromium proves its device ahead of time, and the cookie of before still counts",
  60,
  async ({ site, context, page }) => {
    const before = await nameOf(context, SHORT);
    await page.goto(`${site.origin}/`);
    assert.equal(await page.textContent("#who"), "ada true");
    await until(async () => {
      const now = await nameOf(context, SHORT);
      return site.protocol.includes("refresh proof 200") && now !== undefined && now !== before;
    }, () => `The refresh did not come, after ${site.protocol}`);
    await page.goto(`${site.origin}/`);
    assert.equal(await page.textContent("#who"), "ada true");
  },
);

testInBrowser(
  "a service that was down for an hour has signed nobody out in Chromium",
  LIFE / 1000,
  async ({ site, context, page }) => {
    const isSignedIn = async () => {
      // The page of an error of the browser's own may be on its way.
      await page.goto(`${site.origin}/`).catch(() => {});
      return await page.textContent("#who", { timeout: 2000 }).catch(() => "") === "ada true";
    };

    // No connection, and then a proxy that says so, while pages are asked for.
    for (const status of [null, 503]) {
      if (status === null) await within("the server's end", site.stop());
      else site.down = status;
      await endShort(context);
      for (let round = 0; round < 2; round++) {
        await page.goto(`${site.origin}/down`).catch(() => {});
      }
      site.clock.ahead += 3_600_000;
      const asked = site.protocol.length;
      site.down = null;
      if (status === null) await within("the server's start", site.start());
      await until(isSignedIn, () => `The session did not come back, after ${site.protocol}`);
      assert.ok(site.protocol.slice(asked).includes("refresh proof 200"), site.protocol.join());
    }
    assert.ok(site.protocol.includes("down 503"), site.protocol.join());
    assert.equal(site.protocol.filter((line) => line === "start proof 200").length, 1);

    // What docs/sessions.md warns of: the browser drops its key on an answer of 4xx.
    site.down = 429;
    await endShort(context);
    await page.goto(`${site.origin}/down`);
    assert.ok(site.protocol.includes("down 429"), site.protocol.join());
    site.down = null;
    const asked = site.protocol.length;
    assert.equal(await isSignedIn(), false);
    assert.deepEqual(site.protocol.slice(asked), []);
  },
);
