import assert from "node:assert/strict";
import { jsx } from "./jsx.ts";

Deno.test("jsx() writes the initial state of a field as the attributes or the text of HTML", () => {
  const cases: [tag: string, props: Record<string, unknown>, html: string][] = [
    ["input", { defaultValue: "a" }, '<input value="a"/>'],
    ["input", { defaultValue: "a", value: "b" }, '<input value="b"/>'],
    ["input", { defaultChecked: true }, '<input checked=""/>'],
    ["input", { defaultChecked: false }, "<input/>"],
    ["textarea", { defaultValue: "<a>" }, "<textarea>&lt;a&gt;</textarea>"],
  ];
  for (const [tag, props, html] of cases) assert.equal(String(jsx(tag, props)), html);
  const Field = ({ defaultValue }: { defaultValue: string }) => <b>{defaultValue}</b>;
  assert.equal(String(<Field defaultValue="own" />), "<b>own</b>");
});
