import assert from "node:assert/strict";
import { readRouteName } from "./name.ts";
import { functionName, titleOf } from "./source_text.ts";

// Tracks: AB-18
Deno.test.each([
  ["/", "HomePage", "Home"],
  ["~", "HomePage", "Home"],
  ["issues", "IssuesPage", "Issues"],
  ["t/[tenant]", "TenantPage", "Tenant"],
  ["t/[tenant]/issues", "TenantIssuesPage", "Issues"],
  ["t/[tenant]/issues/[number]", "TenantIssuePage", "Issue"],
  ["/blog/:slug/edit", "BlogEditPage", "Edit"],
  ["docs/:path*?", "DocsPage", "Docs"],
  ["/:lang", "LangPage", "Lang"],
  ["/:lang/about", "LangAboutPage", "About"],
  ["/:year/:month", "YearMonthPage", "Month"],
  ["[...all]", "AllPage", "All"],
  ["bonus-codes/:id", "BonusCodePage", "Bonus code"],
  ["companies/:id", "CompanyPage", "Company"],
  ["addresses/:id", "AddressPage", "Address"],
  ["boxes/:id", "BoxPage", "Box"],
  ["houses/:id", "HousePage", "House"],
  ["statuses/:id", "StatusPage", "Status"],
  ["status/:id", "StatusPage", "Status"],
  ["movies/:id", "MoviePage", "Movie"],
  ["news/:id", "NewsPage", "News"],
  ["2024/terms", "Route2024TermsPage", "Terms"],
  [".well-known/a.json", "WellKnownAJsonPage", "A json"],
])("a page generated at %s is %s, with the heading %s", (name, component, title) => {
  const route = readRouteName(name);
  assert.deepEqual([functionName(route, "Page"), titleOf(route)], [component, title]);
});

Deno.test("functionName() names a layout by the folder that it stands in", () => {
  assert.equal(functionName(readRouteName("/"), "Layout"), "RootLayout");
  assert.equal(functionName(readRouteName("t/[tenant]"), "Layout"), "TenantLayout");
});
