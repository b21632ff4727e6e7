import { createTestContext } from "@framework/testing";
import { openInBrowser, renderInBrowser } from "@framework/testing/browser";
import { expect, it } from "vitest";
import { Like } from "../../app/_components/like.tsx";

it("opens a page of the application, with its scripts and stylesheets", async () => {
  await using ctx = await createTestContext();
  await using view = await openInBrowser(ctx, "/like");
  const button = view.page.getByRole("button");
  await button.click();
  expect(await button.textContent()).toBe("1 since 1970");
  expect(await view.page.locator('link[href*="like"]').count()).toBe(1);
});

it("lets the browser take a component over", async () => {
  await using view = await renderInBrowser(() => <Like since={new Date(0)} />);
  const button = view.page.getByRole("button");
  expect(await button.textContent()).toBe("0 since 1970");
  await button.click();
  await button.click();
  expect(await button.textContent()).toBe("2 since 1970");
});
