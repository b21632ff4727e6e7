import assert from "node:assert/strict";
import { inEnvironment } from "../tests/in_environment.ts";
import { isPublicWebhookUrl, readWebhookUrl } from "./webhook_address.ts";

Deno.test("isPublicWebhookUrl() refuses every spelling of a private host, and all but https on its port", () => {
  const hosts = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "app.localhost",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "%6c%6f%63alhost",
    "１２７.０.０.１",
    "127。0。0。1",
    "ⓛocalhost",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "192.168.1.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:169.254.169.254]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::7f00:1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "keycloak",
    "metadata.google.internal",
    "METADATA.GOOGLE.INTERNAL",
    "metadata.google.internal.",
    "printer.local",
    "router.home.arpa",
    "app.test",
    "kubernetes.default.svc",
    "1.0.0.127.in-addr.arpa",
    ...["alt", "consul", "corp", "home", "intranet", "invalid"].map((end) => `hooks.${end}`),
    ...["LAN", "localdomain", "mail", "onion", "private"].map((end) => `hooks.${end}`),
    "hooks.customer.example.",
    "a_b.customer.example",
    "-a.customer.example",
    `${"a".repeat(64)}.example`,
  ];
  for (const host of hosts) {
    assert.equal(isPublicWebhookUrl(`https://${host}/in`), false, host);
  }
  const others = [
    "http://hooks.customer.example/in",
    "https://hooks.customer.example:8443/in",
    "https://user@hooks.customer.example/in",
    "https://user:word@hooks.customer.example/in",
    "https://:word@hooks.customer.example/in",
    "https://hooks.customer.example/in#a",
    "https://hooks.customer.example/in#",
    "ftp://hooks.customer.example/in",
    "file:///etc/passwd",
    "data:text/plain,a",
    "javascript:alert(1)",
    "//hooks.customer.example/in",
    "hooks.customer.example",
    `https://hooks.customer.example/${"a".repeat(2048)}`,
    "",
    null,
    undefined,
    { href: "https://hooks.customer.example/in" },
    new URL("https://hooks.customer.example/in"),
  ];
  for (const url of others) assert.equal(isPublicWebhookUrl(url), false, String(url));
});

Deno.test("isPublicWebhookUrl() takes public names and addresses", () => {
  for (
    const url of [
      "https://hooks.customer.example/in",
      "https://hooks.customer.example:443/in?key=1",
      "https://HOOKS.customer.example",
      "https://bücher.example/in",
      "https://arpa.example/in",
      "https://lan.customer.home.example/in",
      "https://hooks.svc.email/in",
      "https://8.8.8.8/in",
      "https://[2606:4700::1111]/in",
    ]
  ) assert.equal(isPublicWebhookUrl(url), true, url);
});

Deno.test("http is for loopback hosts in development alone", async () => {
  const loopback = ["http://localhost:8787/in", "http://127.0.0.1:80/in", "http://[::1]:9/in"];
  const others = ["http://hooks.example/in", "http://10.0.0.1/in", "https://localhost:8443/in"];
  for (const mode of ["development", "production", undefined]) {
    await inEnvironment(mode, () => {
      for (const url of loopback) {
        assert.equal(readWebhookUrl(url) !== null, mode === "development", `${mode} ${url}`);
        assert.equal(isPublicWebhookUrl(url), false, url);
      }
      for (const url of others) assert.equal(readWebhookUrl(url), null, `${mode} ${url}`);
    });
  }
});
