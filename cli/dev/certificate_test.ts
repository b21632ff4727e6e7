import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificate, keepCertificate } from "./certificate.ts";
import { networkAddresses } from "./host_check.ts";

const now = Date.UTC(2026, 0, 31, 12);
const day = 86_400_000;

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-certificate-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test(
  "createCertificate() is understood by openssl: names, dates, and a signature that holds",
  {
    ignore: Deno.build.os === "windows",
  },
  () =>
    withFolder(async (folder) => {
      const { cert, expires } = createCertificate(["localhost", "127.0.0.1", "fe80::1:2"], now);
      const file = join(folder, "cert.pem");
      await writeFile(file, cert);
      const openssl = async (...args: string[]): Promise<string> => {
        const { stdout, stderr } = await new Deno.Command("openssl", { args }).output();
        return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      };
      const text = await openssl("x509", "-in", file, "-noout", "-text");
      assert.match(text, /Version: 3/);
      assert.match(text, /DNS:localhost, IP Address:127\.0\.0\.1, IP Address:FE80:0:0:0:0:0:1:2/);
      assert.match(text, /CA:FALSE/);
      assert.match(text, /TLS Web Server Authentication/);
      assert.match(text, /Not Before: Jan 30 12:00:00 2026 GMT/);
      assert.match(
        await openssl("verify", "-CAfile", file, "-attime", String(now / 1000), file),
        /: OK/,
      );
      assert.equal(expires, now + 397 * day);
      const { validTo } = new X509Certificate(cert);
      assert.equal(new Date(validTo).getTime(), expires);
    }),
);

Deno.test("keepCertificate() keeps one certificate until it ends or lacks a host, the key for the user alone", () =>
  withFolder(async (parent) => {
    const folder = join(parent, "new");
    const first = await keepCertificate("localhost", { folder, now });
    assert.equal(first.isNew, true);
    assert.equal(await readFile(first.file, "utf8"), first.cert);
    assert.doesNotMatch(first.cert, /PRIVATE/);
    if (Deno.build.os !== "windows") {
      assert.equal((await stat(join(folder, "dev-certificate.json"))).mode & 0o077, 0);
    }
    const second = await keepCertificate("localhost", { folder, now: now + 300 * day });
    assert.deepEqual(second, { ...first, isNew: false });

    const other = await keepCertificate("app.test", { folder, now });
    assert.notEqual(other.cert, first.cert);
    assert.equal((await keepCertificate("localhost", { folder, now })).cert, other.cert);
    const late = await keepCertificate("app.test", { folder, now: now + 370 * day });
    assert.equal(late.isNew, true);

    await writeFile(join(folder, "dev-certificate.json"), "{}");
    assert.equal((await keepCertificate("localhost", { folder, now })).isNew, true);
  }));

// Tracks: SP-W9
Deno.test("keepCertificate() of a server on every address is for those of the network", () =>
  withFolder(async (folder) => {
    const { cert } = await keepCertificate("0.0.0.0", { folder, now });
    const { subjectAltName } = new X509Certificate(cert);
    const named = networkAddresses().map((address) => `IP Address:${address}`);
    assert.deepEqual(subjectAltName?.split(", ").slice(4), named);
  }));
