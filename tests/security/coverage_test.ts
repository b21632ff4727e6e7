import assert from "node:assert/strict";
import { findTrackedTests } from "../../scripts/security_table.ts";

function range(letter: string, from: number, to: number, digits: number): string[] {
  return Array.from(
    { length: to - from + 1 },
    (_, index) => letter + String(from + index).padStart(digits, "0"),
  );
}

/** Requirements that the tests of this version must answer; the list only grows. */
const REQUIRED: readonly string[] = [
  // Passwords and tokens; email; sessions; signed tokens; cookies; requests, redirects and headers; OAuth;
  // passkeys; roles; tenants; rate limits; errors, logs, input; the client in a browser.
  ...range("R", 1, 156, 3),
  // Faults.
  ...range("F", 1, 36, 2),
  ..."F47 F48".split(" "),
  // The command line.
  ...range("R", 157, 159, 3),
  ...range("F", 37, 46, 2),
  // Invariants.
  ...range("K", 1, 11, 1),
  // Sign-in by email, and one-time secrets.
  ..."GHSA-965c-763c-88jm CVE-2026-4282 GHSA-hc7v-rggr-4hvx GHSA-7w99 CVE-2022-39263".split(" "),
  ..."CVE-2022-35924 CVE-2022-31127 GHSA-5jpx-9hw9-2fx4 GHSA-7rqj-j65f-68wh CVE-2025-64101".split(
    " ",
  ),
  ..."GHSA-r4xp-prcw-77qf CVE-2023-48309".split(" "),
  ...["BA #8067", "BA #9572", "BA #9993", "BA #10000"],
  // Passkeys.
  ..."GHSA-6hxq-p678-4hr2 GHSA-4vcf-q4xf-f48m".split(" "),
  "BA #9622",
  // Accounts.
  ..."GHSA-g38m-r43w-p2q7 CVE-2026-53516 CVE-2026-35511 GHSA-qq9h-g4jm-xgf3 CVE-2023-3128".split(
    " ",
  ),
  ..."CVE-2024-38351 CVE-2025-68158".split(" "),
  ...["BA #8983", "BA #9974", "BA #10003"],
  // OAuth and OpenID Connect.
  ..."CVE-2023-27490 GHSA-x445-f3h2-j279 CVE-2026-73419 GHSA-wxw3-q3m9-c3jr CVE-2026-67335".split(
    " ",
  ),
  ..."CVE-2023-31999 CVE-2024-10318 CVE-2025-4144 GHSA-9h47-pqcx-hjr4 CVE-2026-67336".split(" "),
  ..."CVE-2024-53861 GHSA-5rr4-8452-hf4v CVE-2026-53513 CVE-2022-31186 CVE-2025-67490".split(" "),
  ..."CVE-2025-67716 GHSA-8fpg-xm3f-6cx3".split(" "),
  ...[
    "BA #8897",
    "BA #8949",
    "BA #9226",
    "BA #10241",
    "BA reserved params",
    "openauth OidcProvider",
  ],
  // Rate limits and addresses.
  ..."GHSA-p6v2-xcpg-h6xw CVE-2026-45364 GHSA-44jh-23m7-hpcf GHSA-x732-6j76-qmhm CVE-2025-24806"
    .split(
      " ",
    ),
  ...["BA #10203", "hono 41adbf56", "hono edbf6eea", "hono 1d79aedc", "BA captcha #10004"],
  ...["BA Redis window", "memory store growth", "Device-cookie/lockout DoS"],
  // Roles, other people's things, tenants.
  ..."GHSA-99h5-pjcv-gr6v CVE-2025-61928 GHSA-h3rm-78g3-j7cp GHSA-gv74 CVE-2026-53515".split(" "),
  ..."GHSA-xr8f CVE-2026-41427 CVE-2025-29927 GHSA-737v-mqg7-c878".split(" "),
  ...["BA 12a9de02", "BA 1.7 org role-update ordering", "hono 6a0607a9", "hono ef902257"],
  ...["CASL `rulesToFields` #1093", "RBAC cycles", "Tenant confusion (ours)"],
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
  "hono a5bd9ebe",
  "hono 5463db27",
  "hono 12c51174",
  "hono a586cd72",
  "hono 91def7ca",
  "Auth.js SessionStore",
  "Lucia v3 note",
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
