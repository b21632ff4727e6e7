import { defineConfig } from "@framework/cli";

export default defineConfig({ build: { sourcemap: false } });
