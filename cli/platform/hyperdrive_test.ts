import assert from "node:assert/strict";
import { hyperdriveAddress } from "./hyperdrive.ts";

Deno.test("hyperdriveAddress() takes the variable of a binding before what the file says", () => {
  const entry = { binding: "BOOKS", localConnectionString: "postgres://file" };
  const variable = "HYPERDRIVE_LOCAL_CONNECTION_STRING_BOOKS";
  assert.equal(hyperdriveAddress(entry, {}), "postgres://file");
  assert.equal(
    hyperdriveAddress(entry, { [`WRANGLER_${variable}`]: "postgres://old" }),
    "postgres://old",
  );
  assert.equal(
    hyperdriveAddress(entry, {
      [`WRANGLER_${variable}`]: "postgres://old",
      [`CLOUDFLARE_${variable}`]: "postgres://new",
    }),
    "postgres://new",
  );
  assert.equal(hyperdriveAddress(entry, { [`CLOUDFLARE_${variable}`]: "" }), "postgres://file");
  assert.equal(hyperdriveAddress({ binding: "BOOKS" }, {}), undefined);
});
