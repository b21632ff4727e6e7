import assert from "node:assert/strict";
import { findTrackedTests } from "../../scripts/security_table.ts";

function range(letter: string, from: number, to: number, digits: number): string[] {
  return Array.from(
    { length: to - from + 1 },
    (_, index) => letter + String(from + index).padStart(digits, "0"),
  );
}

/** What this version has no operation for: a fresh proof of who you are before a sensitive change. */
const DEFERRED: ReadonlySet<string> = new Set(["R046"]);

/** What the tests of this version must answer; it only ever grows. */
const REQUIRED: readonly string[] = [
  // Passwords and tokens; sessions; signed tokens; cookies; requests, redirects and headers.
  ...range("R", 1, 15, 3),
  ...range("R", 31, 83, 3).filter((id) => !DEFERRED.has(id)),
  // Roles; errors, logs, input.
  ...range("R", 128, 133, 3),
  ...range("R", 150, 155, 3),
  // Faults.
  ..."F04 F05 F10 F11 F17 F18 F19 F20 F21 F26 F27 F30 F31 F32 F33 F47 F48".split(" "),
  // Invariants.
  ...range("K", 1, 11, 1),
  // Redirects and pages.
  "CVE-2024-56734",
  "GHSA-8jhw-6pjj-8723",
  "GHSA-hjpm-7mrm-26w8",
  "CVE-2025-27143",
  "GHSA-vp58-j275-797x",
  "CVE-2025-71403",
  "GHSA-36rg-gfq2-3h56",
  "CVE-2025-53535",
  "CVE-2022-24858",
  "CVE-2022-29214",
  "CVE-2022-31093",
  "CVE-2021-43812",
  "CVE-2022-24794",
  "CVE-2022-3145",
  "CVE-2020-11053",
  "GHSA-9x4v-xfq5-m8x5",
  "GHSA-27gc-wj6x-9w55",
  "CVE-2025-4143",
  "GHSA-86j7-9j95-vpqj",
  "CVE-2026-67333",
  "CVE-2026-32235",
  // Tokens, cookies, sessions.
  "CVE-2015-9235",
  "CVE-2022-23540",
  "CVE-2026-22817",
  "GHSA-f67f-6cw9-8mq4",
  "GHSA-869p-cjfg-cm3x",
  "CVE-2025-59420",
  "CVE-2026-32597",
  "CVE-2025-62610",
  "GHSA-xmf8-cvqr-rfgj",
  "CVE-2026-73418",
  "CVE-2022-36083",
  "CVE-2024-28176",
  "CVE-2021-29443",
  "GHSA-xg6x-h9c9-2m83",
  "CVE-2026-67337",
  "BA #9122",
  "BA #9203",
  "GHSA-9r3w-4j8q-pw98",
  "GHSA-5jfq",
  "BA #9991",
  "BA #8708",
  "GHSA-2vg6",
  "CVE-2026-67334",
  "CVE-2026-46401",
  "CVE-2025-4643",
  "CVE-2026-16103",
  "CVE-2022-25896",
  "CVE-2023-29019",
  "CVE-2021-41246",
  "CVE-2023-29020",
  "CVE-2024-35220",
  "CVE-2024-31999",
  "GHSA-wmjr-v86c-m9jj",
  "CVE-2025-48947",
  "CVE-2025-64762",
  "CVE-2024-47764",
  "BA #9806",
  // Requests from other sites.
  "CVE-2024-43787",
  "CVE-2024-48913",
  "CVE-2023-29003",
  "CVE-2023-29008",
  "BA #9973",
  "BA #9990",
];

Deno.test("every requirement, fault, invariant and advisory of this version has a test", async () => {
  const tracked = new Set((await findTrackedTests()).map(({ id }) => id));
  assert.deepEqual(
    REQUIRED.filter((id) => !tracked.has(id)),
    [],
    "no test has a Tracks: line for these",
  );
});
