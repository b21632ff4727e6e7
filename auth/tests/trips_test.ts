import assert from "node:assert/strict";
import { createMemoryStorage } from "../storage/memory.ts";
import { createTestApplication, type TestApplication, visit } from "./application.ts";

const MAKERS: Record<string, () => TestApplication> = {
  "SQL": () => createTestApplication(),
  "memory": () => createTestApplication({ database: createMemoryStorage() }),
};

for (const [name, make] of Object.entries(MAKERS)) {
  Deno.test(`an application under test fails where nobody waits for its storage (${name})`, async () => {
    const application = make();
    const storage = application.auth.storage({});
    function answer(work: () => unknown): Promise<Response> {
      return visit(application, async () => {
        await work();
        return new Response();
      });
    }
    // In the background of the test, so that nothing is under way when it ends.
    const left: Promise<unknown>[] = [];
    await answer(() => storage.getUser("ada"));
    await assert.rejects(
      answer(() => void left.push(storage.getUser("ada"))),
      /^Error: Answered while these were under way: (?:getUser|SELECT )/,
    );
    await assert.rejects(
      answer(() => void left.push(storage.deleteSession("x"))),
      /Answered while these were under way/,
    );
    await Promise.all(left);
    application.close();
  });

  Deno.test(`a write of an application under test is overtaken by a read after it (${name})`, async () => {
    const application = make();
    const storage = application.auth.storage({});
    const user = { id: "ada" };
    const written = storage.createUser({ user, emailIdentity: null, at: 1 });
    assert.equal(await storage.getUser("ada"), null);
    await written;
    assert.equal((await storage.getUser("ada"))?.id, "ada");
    application.close();
  });
}
