export default defineNuxtConfig({
  compatibilityDate: "2026-07-30",
  nitro: {
    preset: "cloudflare_module",
    moduleSideEffects: ["reflect-metadata"], // for passkeys; Nitro would leave it out
  },
});
