import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { COMPARED, DAILY_GUIDE, followGuide, GUIDES } from "./guide.ts";
import { createTypeCheck, guideTypeErrors } from "./guide_types.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

Deno.test("what each guide has its reader write has right types", async () => {
  const check = await createTypeCheck();
  for (const file of GUIDES) assert.equal(await guideTypeErrors(file, check), "", file);
});

for (const file of inMatrix ? GUIDES : [DAILY_GUIDE]) {
  Deno.test({
    name: `${file}: each file, command and output of the guide is as it says`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => followGuide(file),
  });
}

Deno.test("the pages for those who come from elsewhere show parts of the application that is run", async () => {
  // A part stands alone, without the indentation of what is around it, and markup is a statement then.
  const unindented = (text: string) => text.replace(/^ +/gm, "").replace(/>;\n$/, ">\n");
  const whole = unindented(await readDocument("docs/coming_from.md"));
  for (const file of COMPARED) {
    const own = codeBlocks(file, await readDocument(file))
      .filter(({ info }) => !info.includes("theirs"));
    assert.ok(own.length > 5, file);
    for (const { line, text } of own) {
      assert.ok(whole.includes(unindented(text)), `${file}:${line}`);
    }
  }
});
