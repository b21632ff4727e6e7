import { createD1Double } from "../tests/d1_double.ts";
import { OUTBOX_PROOF_CASES } from "../tests/outbox_proof_cases.ts";

for (const [name, run] of Object.entries(OUTBOX_PROOF_CASES)) {
  Deno.test(`over the double of D1: ${name}`, async () => {
    const database = createD1Double();
    await run(database);
    database.close();
  });
}
