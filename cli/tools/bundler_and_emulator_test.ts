import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findEsbuildBinary } from "./packages.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

Deno.test({
  name: "holdEsbuild() has ended esbuild's process when its last user has released it",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await mkdtemp(join(tmpdir(), "framework-esbuild-"));
    try {
      // One that takes its time: else it would be gone by chance.
      const slow = join(folder, "esbuild");
      const said = join(folder, "ended");
      await writeFile(
        slow,
        `#!/bin/sh
exec 3<&0
trap 'kill $child' TERM
${findEsbuildBinary(repository)} "$@" <&3 &
child=$!
wait $child
sleep 0.3
echo end >> ${said}
`,
      );
      await chmod(slow, 0o755);
      const script = `
        import { readFileSync } from "node:fs";
        import { holdEsbuild } from ${
        JSON.stringify(import.meta.resolve("./bundler_and_emulator.ts"))
      };
        const [one, other] = [1, 2].map(() => holdEsbuild(${JSON.stringify(repository)}));
        await one.release();
        const { code } = await other.esbuild.transform("let a = 1 + 1; export { a }", { minify: true });
        await other.release();
        const again = holdEsbuild(${JSON.stringify(repository)});
        await again.esbuild.transform("");
        await again.release();
        console.log(code.trim(), readFileSync(${JSON.stringify(said)}, "utf8").trim());
      `;
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", script],
        env: { ESBUILD_BINARY_PATH: slow },
      }).output();
      const decoder = new TextDecoder();
      assert.equal(code, 0, decoder.decode(stderr));
      assert.match(decoder.decode(stdout), /^let \w=2;export\{\w as a\}; end\nend\n$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});
