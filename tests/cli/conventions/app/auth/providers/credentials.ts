import { credentials } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";

export default defineProvider(credentials({
  credentials: { pin: { label: "PIN", type: "password", required: true } },
  authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
}));
