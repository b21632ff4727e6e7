import { defineTestConfig } from "@framework/testing/vitest";

// Other tests may run beside these.
const patient = { testTimeout: 300_000, hookTimeout: 300_000 };

export default {
  test: {
    projects: [
      defineTestConfig({
        test: { ...patient, name: "shapes", include: ["tests/*.spec.{ts,tsx}"] },
      }),
      defineTestConfig({
        test: { ...patient, name: "forgetful", include: ["tests/forgetful/*.spec.ts"] },
      }),
      defineTestConfig({
        test: { ...patient, name: "browser", include: ["tests/browser/*.spec.tsx"] },
      }),
      defineTestConfig({
        test: {
          ...patient,
          name: "environment",
          include: ["tests/environment/*.spec.ts"],
          environment: "miniflare",
          environmentOptions: { bindings: { SITE: "From the configuration", LIMIT: 3 } },
        },
      }),
    ],
  },
};
