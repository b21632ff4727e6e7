import { getUser, OutsideRequestError, requireRole, startSession } from "@framework/auth";
import assert from "node:assert/strict";
import { createApplication } from "../application.ts";
import type { Case } from "../behaviour.ts";

/** Node 20 has no `Promise.withResolvers`. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => open = resolve);
  return { opened, open: () => open() };
}

/** That requests do not see each other. */
export const ISOLATION_CASES: Record<string, Case> = {
  // Tracks: R045
  "200 interleaved requests never see each other's user": async (world) => {
    const application = await createApplication(world);
    const names = Array.from({ length: 10 }, (_, index) => `user${index}`);
    const cookies: string[] = [];
    for (const name of names) cookies.push(await application.signIn(name));
    let seed = 7;
    async function wander(): Promise<void> {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      if (seed % 5 === 0) await new Promise((resolve) => setTimeout(resolve, seed % 3));
      for (let turns = seed % 9; turns > 0; turns--) await Promise.resolve();
    }
    await Promise.all(Array.from({ length: 200 }, async (_, index) => {
      const who = index % 11;
      const response = await application.visit(async ({ auth }) => {
        const seen: unknown[] = [];
        for (let round = 0; round < 5; round++) {
          await wander();
          seen.push(getUser()?.id ?? null, (await auth.getUser())?.id ?? null);
        }
        return Response.json([...new Set(seen)]);
      }, who === 10 ? {} : { cookie: cookies[who]! });
      assert.deepEqual(await response.json(), [names[who] ?? null]);
    }));
  },
  // Tracks: R045
  "a session that one request begins is not seen by another that runs meanwhile": async (world) => {
    const application = await createApplication(world);
    await application.signIn("ada");
    const begun = gate();
    const looked = gate();
    const first = application.visit(async () => {
      await startSession("ada");
      begun.open();
      await looked.opened;
      return Response.json(getUser()?.id);
    }, { method: "POST" });
    const second = application.visit(async () => {
      await begun.opened;
      const seen = getUser();
      looked.open();
      return Response.json(seen);
    });
    assert.equal(await (await first).json(), "ada");
    assert.equal(await (await second).json(), null);
  },
  "operations outside of a request throw an error that says where to call them": () => {
    const seen: string[] = [];
    for (const ask of [getUser, () => requireRole("admin")]) {
      assert.throws(ask, (error) => {
        assert.ok(error instanceof OutsideRequestError);
        seen.push(error.message);
        return true;
      });
    }
    return seen;
  },
};
