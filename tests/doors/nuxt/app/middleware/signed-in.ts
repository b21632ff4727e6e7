export default defineNuxtRouteMiddleware(async ({ fullPath }) => {
  if (useNuxtApp().isHydrating) return; // the server has asked
  const session = await useRequestFetch()("/auth/session");
  if (session) return;
  const signIn = `/auth/signin?callbackUrl=${encodeURIComponent(fullPath)}`;
  return navigateTo(signIn, { external: true });
});
