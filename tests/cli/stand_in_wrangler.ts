/** Does with the platform what wrangler does for `d1 execute`, without the second that each start of wrangler costs. */
export const standInWrangler: Record<string, string> = {
  "node_modules/wrangler/package.json": JSON.stringify({ bin: { wrangler: "./wrangler.mjs" } }),
  "node_modules/wrangler/wrangler.mjs": `import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    remote: { type: "boolean" }, json: { type: "boolean" }, yes: { type: "boolean" },
    config: { type: "string" }, command: { type: "string" }, file: { type: "string" },
  },
});
if (positionals.join(" ") !== "d1 execute DB" || !values.remote || !values.json || !values.yes) {
  throw new Error("Called with " + process.argv.slice(2).join(" "));
}
const sql = values.command ?? readFileSync(values.file, "utf8");
const { CLOUDFLARE_API_BASE_URL: base, CLOUDFLARE_ACCOUNT_ID: account } = process.env;
const response = await fetch(base + "/accounts/" + account + "/d1/database/fixture-id/query", {
  method: "POST",
  body: JSON.stringify({ sql }),
});
const { success, result, errors } = await response.json();
if (!success) throw new Error(errors[0].message);
console.log(JSON.stringify(result));
`,
};
