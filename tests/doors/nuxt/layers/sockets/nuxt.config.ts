export default defineNuxtConfig({ nitro: { experimental: { websocket: true } } });
