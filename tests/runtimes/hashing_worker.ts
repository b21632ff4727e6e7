import { hashPassword, verifyPassword } from "@framework/auth";

/** Hashes a password and checks it, or says which error came of that. */
const worker: { fetch(): Promise<Response> } = {
  async fetch() {
    try {
      const hash = await hashPassword("a password");
      return Response.json([
        await verifyPassword("a password", hash),
        await verifyPassword("another", hash),
      ]);
    } catch (error) {
      const { name, code, field } = error as Record<string, unknown>;
      return Response.json({ name, code, field });
    }
  },
};

export default worker;
