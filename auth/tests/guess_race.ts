import assert from "node:assert/strict";
import type { TestApplication } from "./application.ts";

/** The address of a stranger: another network of 64 bits for each. */
export function stranger(index: number): string {
  return `2001:db8:${(index >> 4).toString(16)}:${(index & 15).toString(16)}::1`;
}

/** The cookie by which a browser is known after this response. */
export function knownCookie(response: Response): string {
  const line = response.headers.getSetCookie().find((one) => one.includes("framework.known="));
  return line?.split(";")[0] ?? "";
}

/** Sends wrong passwords, 100 at once, for each of the counts in which they must find room. */
export async function assertExactGuesses(
  applications: readonly Pick<TestApplication, "send">[],
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const name = `ada-${round}`;
    const fields = { name, password: "right" };
    const cookie = knownCookie(await applications[0]!.send("/signin/credentials", { fields }));
    assert.notEqual(cookie, "");
    const through = async (
      given: (index: number) => { address?: string; cookie?: string },
    ): Promise<number> => {
      const replies = await Promise.all(Array.from({ length: 100 }, (_, index) => {
        const { address, cookie } = given(index);
        const { send } = applications[index % applications.length]!;
        return send("/signin/credentials", {
          fields: { name, password: "wrong" },
          info: address === undefined ? {} : { clientAddress: address },
          ...(cookie !== undefined && { cookie }),
        });
      }));
      const statuses = replies.map(({ status }) => status);
      assert.deepEqual(statuses.filter((status) => status !== 401 && status !== 429), []);
      return statuses.filter((status) => status === 401).length;
    };
    const network = 1000 * (round + 1);
    assert.equal(await through(() => ({ cookie })), 10, "a known browser");
    assert.equal(await through(() => ({ address: `198.51.100.${round}` })), 5, "one address");
    assert.equal(await through(() => ({})), 20, "no address");
    assert.equal(
      await through((index) => ({ address: stranger(network + index) })),
      75,
      "what is left of a hundred a day",
    );
  }
}
