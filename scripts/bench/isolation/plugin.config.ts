import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import process from "node:process";
import { defineConfig } from "vitest/config";

const bindings = {
  MIGRATIONS: await readD1Migrations("migrations"),
  TESTS: Number(process.env["TESTS"]),
};

export default defineConfig({
  plugins: [
    cloudflareTest({ wrangler: { configPath: "./wrangler.jsonc" }, miniflare: { bindings } }),
  ],
  test: { include: ["plugin.spec.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
