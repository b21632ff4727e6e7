import assert from "node:assert/strict";
import { hasClientDirective } from "./assets.ts";

Deno.test("hasClientDirective() finds the directive before everything else", () => {
  for (
    const source of [
      '"use client";\nexport {}',
      "'use client'\nexport {}",
      '\uFEFF// Copyright "them"\n/* "use server" */ \n"use strict";\n"use client";',
      '"use client"',
    ]
  ) {
    assert.equal(hasClientDirective(source), true, source);
  }
});

Deno.test("hasClientDirective() takes no text further down for one", () => {
  for (
    const source of [
      "",
      'export {};\n"use client";',
      '// "use client"\nexport {}',
      '"use client" + x;',
      '"use clients";',
      "`use client`;",
      '("use client");',
    ]
  ) {
    assert.equal(hasClientDirective(source), false, source);
  }
});
