import assert from "node:assert/strict";
import { ENDING } from "../storage/first_proof.ts";
import { createFaultyDatabase, type FaultyDatabase } from "../tests/faulty_database.ts";
import {
  createHouse,
  issue,
  moveIn,
  redeem,
  rowsOf,
  setPassword,
  strangerIsOut,
  VICTIM,
  WAYS,
} from "../tests/first_proof_house.ts";
import { userAt } from "../tests/during.ts";
import { cookieOf } from "../tests/application.ts";

// Sessions of 'jwt' are no rows, and end before the proof is stored.
const TOGETHER = ENDING.filter((table) => table !== "sessions" && table !== "verifications");

// Tracks: R162, R017, F08, A-01, OP-15
for (const strategy of ["database", "jwt"] as const) {
  for (const way of ["a link", "a reset token", "a trusted provider"] as const) {
    Deno.test(`a database that fails at any statement of the first proof leaves all of it or nothing, and asking again finds one result (${way}, ${strategy})`, async () => {
      for (const when of ["before", "after"] as const) {
        let consumed = true;
        for (let good = 0; consumed; good++) {
          const cell = `${way}, ${strategy}: ${when} statement ${good + 1}`;
          let faulty: FaultyDatabase | undefined;
          const house = createHouse(strategy, {}, (inner) => faulty = createFaultyDatabase(inner));
          const stranger = await moveIn(house);
          house.clock.now += 120_000;
          const planted = new Map(TOGETHER.map((table) => [table, rowsOf(house, table)]));
          faulty!.faults.push(
            ...Array.from({ length: good }, () => ({ when: "never", message: "" }) as const),
            { when, message: "broken" },
          );
          const owner = await WAYS[way]!(house, stranger).catch(() => "");
          consumed = faulty!.faults.length === 0;
          faulty!.faults.length = 0;
          const { email_verified: at } = house.database.sqlite.prepare("SELECT * FROM users")
            .get()!;
          for (const table of TOGETHER) {
            const left = rowsOf(house, table).filter((row) => planted.get(table)!.includes(row));
            const expected = at === null ? planted.get(table)! : [];
            assert.deepEqual(left, expected, `${cell}: ${table}`);
          }
          if (at !== null) await strangerIsOut(house, stranger, cell);
          if (owner !== "") assert.equal(await userAt(house, owner), "u1", cell);
          await WAYS[way]!(house, stranger);
          await strangerIsOut(house, stranger, cell);
          const users = house.database.sqlite.prepare(
            `SELECT count(*) AS n FROM users WHERE email_identity = '${VICTIM}'`,
          ).get()!;
          assert.equal(users.n, 1, cell);
          await setPassword(house, cell);
          house.close();
        }
      }
    });
  }
}

// Tracks: R017, OP-15
Deno.test("a one-time token is not lost when a statement fails before it is taken, and taken once when the answer is", async () => {
  for (const when of ["before", "after"] as const) {
    let consumed = true;
    for (let good = 0; consumed; good++) {
      let faulty: FaultyDatabase | undefined;
      const house = createHouse("database", {}, (inner) => faulty = createFaultyDatabase(inner));
      await moveIn(house);
      const token = await issue(house, "reset");
      faulty!.faults.push(
        ...Array.from({ length: good }, () => ({ when: "never", message: "" }) as const),
        { when, message: "broken" },
      );
      const first = await redeem(house, "reset", token).catch(() => null);
      consumed = faulty!.faults.length === 0;
      faulty!.faults.length = 0;
      const { email_verified: at } = house.database.sqlite.prepare("SELECT * FROM users").get()!;
      const again = await redeem(house, "reset", token);
      const taken = first !== null || at !== null;
      assert.equal(again === null, taken, `${when} statement ${good + 1}`);
      assert.ok(first === null || again === null);
      house.close();
    }
  }
});

// Tracks: OP-15
Deno.test("a link holds until the step that takes it, and after a failure behind that another one is had", async () => {
  let held = 0;
  let consumed = true;
  for (let good = 0; consumed; good++) {
    let faulty: FaultyDatabase | undefined;
    const house = createHouse("database", {}, (inner) => faulty = createFaultyDatabase(inner));
    const ask = async () => {
      await house.send("/signin/email", { fields: { email: "new@example.com" } });
      const { token, identifier } = house.mails.at(-1)!;
      return { token, email: identifier };
    };
    const fields = await ask();
    faulty!.faults.push(
      ...Array.from({ length: good }, () => ({ when: "never", message: "" }) as const),
      { when: "before", message: "broken" },
    );
    const first = await house.send("/callback/email", { fields });
    consumed = faulty!.faults.length === 0;
    faulty!.faults.length = 0;
    if (first.status !== 303) {
      assert.equal(first.status, 503);
      const left = house.database.sqlite.prepare(
        "SELECT count(*) AS n FROM verifications WHERE purpose = 'email-link'",
      ).get()!;
      held += left.n as number;
      const next = left.n === 1 ? fields : await ask();
      const confirmed = await house.send("/callback/email", { fields: next });
      assert.equal(confirmed.status, 303, `statement ${good + 1}`);
      assert.notEqual(await userAt(house, cookieOf(confirmed)), null);
    }
    house.close();
  }
  assert.ok(held >= 3, String(held));
});
