export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  nitro: { esbuild: { options: { target: "es2022" } } }, // for await auth.migrate()
});
