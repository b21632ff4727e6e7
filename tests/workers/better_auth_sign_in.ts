import type { TestAuth } from "@framework/testing";

const password = "a password of the tests";

/** Signs up and in by the endpoints of Better Auth. */
export const betterAuth: TestAuth = {
  async signIn({ userId, email = `${userId}@example.com`, name = userId }, visitor) {
    const post = (path: string, body: object) =>
      visitor.fetch(`/api/auth${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await post("/sign-up/email", { email, name, password });
    // In the place of the link in the mail.
    await visitor.db.updateTable("user").set({ emailVerified: 1 })
      .where("email", "=", email).execute();
    const response = await post("/sign-in/email", { email, password });
    if (!response.ok) throw new Error(await response.text());
  },
};
