export default defineNuxtConfig({ routeRules: { "/cached": { swr: 60 } } });
