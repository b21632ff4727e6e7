import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [sveltekit({
    adapter: adapter(),
    // When it is built; without it SvelteKit takes the Host of every request, and https.
    paths: { origin: process.env.BASE_URL },
  })],
});
