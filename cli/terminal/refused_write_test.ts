import assert from "node:assert/strict";
import { join } from "node:path";
import { describeRefusedWrite } from "./refused_write.ts";

function systemError(code: string, details: { path?: string; syscall?: string } = {}): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: "open", ...details });
}

Deno.test("describeRefusedWrite() names the folder and the reason", () => {
  const path = "/project/.framework/entry.ts";
  const error = systemError("EROFS", { path });
  const { message, hint, cause } = describeRefusedWrite(error)!;
  assert.equal(message, "The folder /project/.framework cannot be written: it is read-only.");
  assert.equal(hint, "Check the folder's permissions and the free disk space.");
  assert.equal(cause, error);
  const full = describeRefusedWrite(systemError("ENOSPC", { syscall: "write" }));
  assert.equal(full?.message, "The project cannot be written: the disk is full.");
  const made = describeRefusedWrite(systemError("EACCES", { path, syscall: "mkdir" }));
  assert.equal(
    made?.message,
    "The folder /project/.framework cannot be written: this user lacks the permission.",
  );
});

Deno.test("describeRefusedWrite() takes no other error, nor what may not be read or run", async () => {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "file");
  await Deno.writeTextFile(file, "");
  assert.ok(describeRefusedWrite(systemError("EACCES", { path: file })));
  assert.ok(describeRefusedWrite(systemError("EPERM", { path: join(folder, "new") })));
  for (
    const error of [
      "EROFS",
      new Error("EROFS"),
      systemError("ENOENT", { path: file }),
      systemError("ENOSPC", { path: folder, syscall: "watch" }),
      systemError("EACCES", { path: file, syscall: "spawn workerd" }),
      systemError("EACCES", { syscall: "listen" }),
      // What lies below a file cannot be read.
      systemError("EACCES", { path: join(file, "below") }),
    ]
  ) assert.equal(describeRefusedWrite(error), undefined, String(error));
  await Deno.remove(folder, { recursive: true });
});
