import { defineConfig } from "@framework/cli";

export default defineConfig({
  database: "DB",
});
