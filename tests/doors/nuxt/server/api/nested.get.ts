/** Asks the server itself, with the headers of the visitor or as nobody. */
export default defineEventHandler(async (event) => {
  const { path, as, method = "GET", headers = "{}", body } = getQuery<Record<string, string>>(event);
  const { localFetch } = useNitroApp();
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const init = { method, headers: { ...type, ...JSON.parse(headers) }, body };
  const response = await (as === "visitor" ? event.fetch(path, init) : localFetch(path, init));
  const cookies = response.headers.getSetCookie();
  return { status: response.status, text: await response.text(), cookies };
});
