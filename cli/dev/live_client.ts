/**
 * The script that every page of the development server carries.
 *
 * A hidden page closes its stream: browsers allow six connections to a server, and an application that is open in
 * seven tabs would wait for ever. It asks again when it is seen.
 *
 * @param path Path of the event stream.
 */
export function liveClient(path: string): string {
  return `(() => {
  let revision = new URL(document.currentScript.src).searchParams.get("revision");
  let source;
  function reload(seen) {
    // Once for each revision: a page that a cache keeps giving out would reload for ever.
    if (sessionStorage.getItem("framework-reloaded") === seen) return;
    sessionStorage.setItem("framework-reloaded", seen);
    location.reload();
  }
  function swapStyles() {
    for (const link of document.querySelectorAll('link[rel~="stylesheet"]')) {
      const address = new URL(link.href);
      if (address.origin !== location.origin) continue;
      address.searchParams.set("revision", revision);
      const next = link.cloneNode();
      next.href = address.href;
      next.addEventListener("load", () => link.remove());
      next.addEventListener("error", () => link.remove());
      link.after(next);
    }
  }
  function connect() {
    if (source) return;
    source = new EventSource(${JSON.stringify(path)});
    source.addEventListener("hello", ({ data }) => {
      if (data !== revision) reload(data);
    });
    source.addEventListener("reload", ({ data }) => reload(data));
    source.addEventListener("styles", ({ data }) => {
      revision = data;
      swapStyles();
    });
  }
  function disconnect() {
    source?.close();
    source = undefined;
  }
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", connect);
  document.addEventListener("visibilitychange", () => document.hidden ? disconnect() : connect());
  if (!document.hidden) connect();
})();
`;
}
