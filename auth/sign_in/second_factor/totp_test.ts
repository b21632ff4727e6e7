import assert from "node:assert/strict";
import * as OTPAuth from "otpauth";
import { generateSync, verifySync } from "otplib";
import { createTotpSecret, findStep, stepAt, toBase32, totpCode, totpUri } from "./totp.ts";

// Appendix B of RFC 6238 has eight digits, of which these are the last six; its key is this text.
const KEY = toBase32(new TextEncoder().encode("12345678901234567890"));

// Tracks: R171
Deno.test("totpCode() gives the codes of RFC 6238, appendix B", async () => {
  const vectors: [seconds: number, code: string][] = [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ];
  for (const [seconds, code] of vectors) {
    assert.equal(await totpCode(KEY, stepAt(seconds * 1000)), code.slice(2), String(seconds));
  }
});

// Tracks: R171
Deno.test("totpCode() gives the codes of RFC 4226, appendix D", async () => {
  const codes = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
  for (const [count, code] of codes.entries()) assert.equal(await totpCode(KEY, count), code);
});

// Tracks: R171
Deno.test("toBase32() gives the texts of RFC 4648, without padding", () => {
  const vectors = {
    "": "",
    f: "MY",
    fo: "MZXQ",
    foo: "MZXW6",
    foob: "MZXW6YQ",
    foobar: "MZXW6YTBOI",
  };
  for (const [text, encoded] of Object.entries(vectors)) {
    assert.equal(toBase32(new TextEncoder().encode(text)), encoded);
  }
});

// Tracks: R171
Deno.test("findStep() knows the present step and one on each side, and no other", async () => {
  const at = Date.UTC(2026, 0, 1, 0, 0, 10);
  for (let away = -4; away <= 4; away++) {
    const code = await totpCode(KEY, stepAt(at) + away);
    const expected = Math.abs(away) <= 1 ? stepAt(at) + away : null;
    assert.equal(await findStep(KEY, code, at), expected, String(away));
  }
});

// Tracks: R171
Deno.test("the codes of another implementation are accepted, from the address of the QR code alone", async () => {
  for (let round = 0; round < 50; round++) {
    const secret = createTotpSecret();
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const uri = totpUri(secret, { issuer: "Käse & Co: 50 %", account: "ada+x@example.com" });
    const app = OTPAuth.URI.parse(uri);
    assert.ok(app instanceof OTPAuth.TOTP);
    assert.deepEqual([app.issuer, app.label, app.digits, app.period], [
      "Käse & Co 50 %",
      "ada+x@example.com",
      6,
      30,
    ]);
    const at = Date.UTC(2026, 0, 1) + round * 12_345_678;
    assert.equal(await findStep(secret, app.generate({ timestamp: at }), at), stepAt(at));
  }
});

// Tracks: R171
Deno.test("otplib makes the codes that are accepted, accepts those that are made, and no others", async () => {
  for (let round = 0; round < 50; round++) {
    // Not random: two codes of three in a row are the same now and then.
    const secret = toBase32(new TextEncoder().encode(`the secret number ${10 + round}`));
    const at = Date.UTC(2026, 0, 1) + round * 12_345_678;
    const epoch = Math.floor(at / 1000);
    for (const away of [-1, 0, 1]) {
      const code = generateSync({ secret, epoch: epoch + 30 * away });
      assert.equal(await findStep(secret, code, at), stepAt(at) + away);
      const own = await totpCode(secret, stepAt(at) + away);
      assert.equal(own, code);
      const verdict = verifySync({ secret, token: own, epoch, epochTolerance: 0 });
      assert.equal(verdict.valid, away === 0);
    }
  }
});

async function isThere(program: string, args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args }).output()).success;
  } catch {
    return false;
  }
}

// The other programs that people check against, where Debian's packages are installed.
for (
  const [program, args] of [
    ["oathtool", (secret: string, at: number) => ["--totp", "-b", "-N", `@${at / 1000}`, secret]],
    ["/usr/bin/python3", (secret: string, at: number) => [
      "-c",
      `import pyotp, sys; print(pyotp.TOTP(sys.argv[1]).at(int(sys.argv[2])))`,
      secret,
      String(at / 1000),
    ]],
  ] as const
) {
  const runs = await isThere(
    program,
    program === "/usr/bin/python3" ? ["-c", "import pyotp"] : ["--version"],
  );
  Deno.test({
    name: `totpCode() agrees with ${program}`,
    ignore: !runs,
    async fn() {
      for (let round = 0; round < 5; round++) {
        const secret = createTotpSecret();
        const at = Date.UTC(2026, 5, 1) + round * 3_600_000;
        const { stdout } = await new Deno.Command(program, { args: args(secret, at) }).output();
        const code = new TextDecoder().decode(stdout).trim();
        assert.equal(await totpCode(secret, stepAt(at)), code);
      }
    },
  });
}

// Without a clock of its own: what it shows is the code of this moment, or of the one before.
Deno.test({
  name: "keepassxc-cli reads the address of the QR code, and its codes are accepted",
  ignore: !await isThere("keepassxc-cli", ["--version"]),
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const secret = createTotpSecret();
      const uri = totpUri(secret, { issuer: "App", account: "ada@example.com" })
        .replaceAll("&", "&amp;");
      const strings = [["Title", "app"], ["otp", uri]]
        .map(([key, value]) => `<String><Key>${key}</Key><Value>${value}</Value></String>`).join(
          "",
        );
      await Deno.writeTextFile(
        `${folder}/app.xml`,
        `<?xml version="1.0"?><KeePassFile><Meta/><Root><Group><UUID>${btoa("0123456789abcdef")}` +
          `</UUID><Name>Root</Name><Entry><UUID>${btoa("fedcba9876543210")}</UUID>${strings}` +
          "</Entry></Group></Root></KeePassFile>",
      );
      const run = async (args: string[], typed: string) => {
        const child = new Deno.Command("keepassxc-cli", {
          args,
          cwd: folder,
          env: { QT_QPA_PLATFORM: "offscreen" },
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const writer = child.stdin.getWriter();
        await writer.write(new TextEncoder().encode(typed));
        await writer.close();
        const { success, stdout, stderr } = await child.output();
        assert.ok(success, new TextDecoder().decode(stderr));
        return new TextDecoder().decode(stdout).trim();
      };
      await run(["import", "-q", "-p", "app.xml", "app.kdbx"], "a password\na password\n");
      const code = await run(["show", "-q", "-t", "app.kdbx", "app"], "a password\n");
      assert.match(code, /^[0-9]{6}$/);
      assert.notEqual(await findStep(secret, code, Date.now()), null);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
