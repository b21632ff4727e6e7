import assert from "node:assert/strict";
import { join } from "node:path";

/** A disk that a test can fill. */
export interface SmallDisk {
  /** Its folder. */
  readonly path: string;
  /** Takes all that is left of it, until the function that comes back is called. */
  fill(): Promise<() => Promise<void>>;
  /** Removes it with all that is on it. */
  remove(): Promise<void>;
}

/** Tests if this process may mount one, as root may outside of most containers. */
export async function mayMountDisks(): Promise<boolean> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const status = await Deno.readTextFile("/proc/self/status");
  const bits = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return (BigInt(`0x${bits}`) >> 21n & 1n) === 1n;
}

async function runOn(program: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stderr: "piped" }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Mounts a disk of some megabytes. */
export async function createSmallDisk(megabytes: number): Promise<SmallDisk> {
  const path = await Deno.makeTempDir({ prefix: "framework-disk-" });
  await runOn("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
  return {
    path,
    async fill() {
      const ballast = join(path, "ballast");
      for (const size of [1_048_576, 4096]) {
        const chunk = new Uint8Array(size);
        await assert.rejects(async () => {
          for (;;) await Deno.writeFile(ballast, chunk, { append: true });
        }, /No space left/);
      }
      return () => Deno.remove(ballast);
    },
    async remove() {
      await runOn("umount", [path]);
      await Deno.remove(path);
    },
  };
}
