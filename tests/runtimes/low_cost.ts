import { scrypt } from "node:crypto";
import { createPasswordHasher } from "../../auth/password/hash.ts";

const LOW_COST = { ln: 1, r: 8, p: 1 };

const lowCostHasher = createPasswordHasher({
  derive: (password, salt, length) =>
    new Promise((resolve, reject) => {
      const cost = { N: 2 ** LOW_COST.ln, r: LOW_COST.r, p: LOW_COST.p };
      scrypt(password, salt, length, cost, (error, key) => error ? reject(error) : resolve(key));
    }),
});

/** Hashes as the library does, at a cost that is written in the hash in place of the library's own. */
export async function hashAtLowCost(password: string): Promise<string> {
  const hash = await lowCostHasher.hash(password);
  const { ln, r, p } = LOW_COST;
  return hash.replace(/\$ln=\d+,r=\d+,p=\d+\$/, `$$ln=${ln},r=${r},p=${p}$$`);
}
