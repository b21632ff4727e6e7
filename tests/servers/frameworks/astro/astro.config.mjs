import node from "@astrojs/node";
import { defineConfig } from "astro/config";

const { protocol, hostname, port } = new URL(process.env.BASE_URL ?? "http://localhost:4321");

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  // Astro believes no other Host header, and refuses every form without it.
  security: { allowedDomains: [{ protocol: protocol.slice(0, -1), hostname, port }] },
});
