import { render, within } from "@framework/testing/components";
import { describe, expect, it } from "vitest";
import { Card } from "../app/_components/card.tsx";

describe("Card", () => {
  it("shows its title and a form", async () => {
    const view = await render(<Card title="Boots" />);
    expect(view.getByRole("heading", { name: "Boots", level: 2 })).toBeTruthy();
    expect(view.getByLabelText("Amount").getAttribute("value")).toBe("1");
    expect(within(view.getByTestId("card")).getByRole("button", { name: "Buy" })).toBeTruthy();
    expect(view.queryByText("On sale")).toBeNull();
  });

  it("tells of a sale", async () => {
    const view = await render(<Card title="Boots" onSale />);
    expect(view.getByText("On sale").tagName).toBe("P");
  });
});
