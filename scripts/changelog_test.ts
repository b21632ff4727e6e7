import assert from "node:assert/strict";
import { changelogSection } from "./changelog.ts";

const changelog = `# Changelog

## Unreleased

## 1.2.3 (2026-01-31)

### Added

- A page.

## 1.2.3-0 (2026-01-30)

## 1.2.2 (2026-01-01)

- The last one.
`;

Deno.test("changelogSection() gives the text below a version's heading, up to the next one", () => {
  assert.equal(changelogSection(changelog, "1.2.3"), "### Added\n\n- A page.");
  assert.equal(changelogSection(changelog, "1.2.2"), "- The last one.");
});

Deno.test("changelogSection() gives an empty text where nothing is said, and null where there is no section", () => {
  assert.equal(changelogSection(changelog, "1.2.3-0"), "");
  assert.equal(changelogSection(changelog, "1.2"), null);
  assert.equal(changelogSection(changelog, "Unreleased"), null);
});
