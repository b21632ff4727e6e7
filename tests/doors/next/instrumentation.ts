export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  await (await import("./auth")).auth.migrate();
}
