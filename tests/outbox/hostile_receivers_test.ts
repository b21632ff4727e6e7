import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { capture } from "../../scripts/run_command.ts";
import { bundleEntries } from "../support/bundle.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes } from "../support/node.ts";

interface Finding {
  result: string;
  message: string;
  receivedStatus?: number;
  leaks: boolean;
}

/** What the program prints. */
interface Output {
  findings: Record<string, Finding>;
  plain: Record<string, Finding>;
  names: Record<string, Finding>;
  refused: Record<string, string>;
  rebinding: Finding;
  questions: number;
  afterRebinding: number;
  privateRequests: number;
  servername: string;
  head: string;
  requests: number;
  redirected: number;
}

const folder = await Deno.makeTempDir({ prefix: "framework-receivers-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

/** A certificate of its own authority, and the program as one file. */
async function prepare(): Promise<string> {
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem"), "-days", "2"],
    ...["-subj", "/CN=hooks.customer.example"],
    ...["-addext", "subjectAltName=DNS:hooks.customer.example"],
  ], { stdio: "ignore" });
  const entry = fileURLToPath(new URL("./hostile_receivers.ts", import.meta.url));
  const [file] = await bundleEntries([entry]);
  const program = join(folder, "hostile_receivers.mjs");
  await Deno.writeTextFile(program, file!.text);
  return program;
}

const program = await prepare();
const { oldest, newest } = await findNodes();
const RUNTIMES: Record<string, [command: string, args: string[]]> = {
  "Node 20": [oldest, []],
  ...inMatrix && {
    "the newest Node": [newest, []],
    Deno: [Deno.execPath(), ["run", "-A", "--no-config"]],
  },
};

for (const [name, [command, args]] of Object.entries(RUNTIMES)) {
  Deno.test({
    name: `hostile receivers of webhooks get nothing and hold nothing up (${name})`,
    // Only Linux answers at 127.0.0.2 without being told to.
    ignore: Deno.build.os !== "linux",
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(context) {
      // What a machine has for its other programs, and what switches off all checks of certificates.
      const proxied: string[] = [];
      const proxy = createServer((socket) => {
        socket.on("error", () => {}).once("data", (chunk) => {
          // Deno itself asks for news of its releases.
          if (String(chunk).includes("customer.example")) proxied.push(String(chunk));
          socket.destroy();
        });
      });
      await once(proxy.listen(0, "127.0.0.1"), "listening");
      const { port } = proxy.address() as { port: number };
      const names = ["http_proxy", "https_proxy", "all_proxy"];
      const env: Record<string, string> = Object.fromEntries(
        [...names, ...names.map((name) => name.toUpperCase())]
          .map((name) => [name, `http://127.0.0.1:${port}`]),
      );
      env.NODE_USE_ENV_PROXY = "1";
      env.NO_PROXY = env.no_proxy = "127.0.0.1";
      env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      const { code, stdout, stderr } = await capture(command, [...args, program, folder], { env });
      proxy.close();
      assert.equal(code, 0, stderr);
      const output = JSON.parse(stdout) as Output;
      const results = (findings: Record<string, Finding>) =>
        Object.fromEntries(
          Object.entries(findings).map((
            [name, { result, receivedStatus }],
          ) => [name, receivedStatus === undefined ? result : `${result} ${receivedStatus}`]),
        );

      await context.step("each answer is what it is, and nothing waits longer than it may", () => {
        const { headers, smuggled, ...others } = results(output.findings);
        assert.deepEqual(others, {
          fine: "delivered",
          redirect: "DELIVERY_REFUSED 307",
          endless: "delivered",
          endlessRefusal: "DELIVERY_REFUSED 500",
          slowHead: "DELIVERY_TIMEOUT",
          slowBody: "DELIVERY_REFUSED 503",
          silent: "DELIVERY_TIMEOUT",
          informations: "DELIVERY_TIMEOUT",
          reset: "DELIVERY_UNREACHABLE",
          nothing: "DELIVERY_UNREACHABLE",
          cut: "DELIVERY_UNREACHABLE",
          noHttp: "DELIVERY_UNREACHABLE",
          upgrade: "DELIVERY_UNREACHABLE",
          strangeStatus: "DELIVERY_UNREACHABLE",
          noStatus: "DELIVERY_UNREACHABLE",
          refusal: "DELIVERY_REFUSED 500",
          gone: "DELIVERY_GONE 410",
        });
        assert.equal(headers, "DELIVERY_UNREACHABLE");
        assert.ok(["delivered", "DELIVERY_UNREACHABLE"].includes(smuggled!), smuggled);
      });

      await context.step("errors have nothing of answers, paths and secrets", () => {
        const all = [output.findings, output.plain, output.names].flatMap(Object.entries);
        assert.ok(all.length > 30);
        for (const [name, { leaks, message }] of all) {
          assert.equal(leaks, false, `${name}: ${message}`);
          assert.match(
            message,
            /^$|^(?:Cannot reach )?[\w.]+\.customer\.example|^(?:Cannot reach )?127\.0\.0\.1/,
          );
        }
      });

      await context.step(
        "the request has the name of the receiver, and a connection of its own",
        () => {
          assert.equal(output.servername, "hooks.customer.example");
          const [first, ...lines] = output.head.toLowerCase().split("\r\n");
          assert.equal(first, "post /fine?path-is-secret http/1.1");
          assert.ok(lines.includes("host: hooks.customer.example"), output.head);
          assert.ok(lines.includes("connection: close"), output.head);
          assert.equal(output.requests, Object.keys(output.findings).length);
          assert.deepEqual(proxied, []);
        },
      );

      await context.step("a name is looked up once, and what was looked at is connected to", () => {
        assert.equal(output.rebinding.result, "delivered");
        assert.deepEqual([output.questions, output.afterRebinding], [1, 1]);
        assert.equal(output.privateRequests, 0);
        assert.deepEqual(results(output.names), {
          rebound: "DELIVERY_ADDRESS",
          mixedKinds: "DELIVERY_ADDRESS",
          slow: "DELIVERY_TIMEOUT",
          mixed: "DELIVERY_ADDRESS",
          mixedFirst: "DELIVERY_ADDRESS",
          none: "DELIVERY_ADDRESS",
          unknown: "DELIVERY_ADDRESS",
          noAddress: "DELIVERY_ADDRESS",
          family: "DELIVERY_ADDRESS",
          secondAddress: "delivered",
          otherName: "DELIVERY_UNREACHABLE",
          unknownAuthority: "DELIVERY_UNREACHABLE",
          closed: "DELIVERY_UNREACHABLE",
        });
        const { mixed, unknown, otherName, closed } = output.names;
        assert.equal(mixed!.message, unknown!.message);
        assert.match(otherName!.message, /ERR_TLS_CERT_ALTNAME_INVALID$/);
        assert.match(closed!.message, /ECONNREFUSED$/);
      });

      await context.step("createPublicFetch() asks no private host, however it is written", () => {
        assert.ok(Object.keys(output.refused).length > 8);
        for (const [url, code] of Object.entries(output.refused)) {
          assert.equal(code, "DELIVERY_ADDRESS", url);
        }
      });

      await context.step(
        "the platform's own fetch follows no redirect and waits for no end either",
        () => {
          assert.deepEqual(results(output.plain), {
            fine: "delivered",
            redirect: "DELIVERY_REFUSED 307",
            endless: "delivered",
            endlessRefusal: "DELIVERY_REFUSED 500",
            slowBody: "DELIVERY_REFUSED 503",
            reset: "DELIVERY_UNREACHABLE",
            noHttp: "DELIVERY_UNREACHABLE",
            refusal: "DELIVERY_REFUSED 500",
          });
          assert.equal(output.redirected, Object.keys(output.plain).length);
        },
      );
    },
  });
}
