import node from "@astrojs/node";
import { defineConfig } from "astro/config";

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  // The middleware does it by baseUrl; Astro goes by the Host, and behind TLS refuses every form.
  security: { checkOrigin: false },
});
