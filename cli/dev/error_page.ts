import type { IncomingMessage } from "node:http";
import { formHeader } from "../client/assets.ts";
import type { ErrorText } from "./browser_errors.ts";

/**
 * Renders the page that is shown while the application cannot run. It reloads after the next good
 * save: by live reload, or every second without scripts.
 *
 * @param text What the terminal says, without colours.
 * @param options `refreshes`: false for a request that must not be repeated before the next save. Default: true.
 */
export function errorPage(text: string, { refreshes = true } = {}): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${
    refreshes
      ? '<noscript><meta http-equiv="refresh" content="1"></noscript>\n'
      : ""
  }<title>The application has a problem</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 10vh auto; padding: 0 1rem }
h1 { font-size: 1.25rem }
pre { overflow: auto; padding: 1rem; border-left: 4px solid #d33; background: color-mix(in srgb, currentColor 6%, transparent) }
</style>
</head>
<body>
<h1>The application has a problem</h1>
<pre>${escapeHtml(text)}</pre>
<p>This page comes back by itself after the next good save.</p>
</body>
</html>
`;
}

/**
 * Renders an overlay for a failed page: the error with its position, above the application's own
 * error page.
 *
 * @param error The error, without colours.
 */
export function errorOverlay({ text, all }: ErrorText): string {
  const pre = (shown: string): string =>
    `<pre style="white-space:pre-wrap;font:13px/1.5 ui-monospace,monospace">${
      escapeHtml(shown)
    }</pre>`;
  const more = all === text
    ? ""
    : `<details><summary>The whole stack</summary>${pre(all)}</details>`;
  const panel =
    "position:fixed;z-index:2147483647;inset:auto 0 0 0;max-height:60vh;overflow:auto;" +
    "background:#1b1b1f;color:#f3f3f3;border-top:4px solid #d33;padding:0.75rem 1rem;" +
    "font:14px/1.5 system-ui,sans-serif";
  return `<details open id="framework-error" style="${panel}"><summary>This page failed</summary>` +
    `${pre(text)}${more}</details>\n`;
}

/** Makes text safe inside an element and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}

/**
 * Returns true for a request of a page, not of a fragment for a script, which is left unchanged.
 *
 * @param headers The request's headers.
 */
export function asksForPage({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "POST") return false;
  // The script shows the answer in place of the page.
  if (headers[formHeader] !== undefined) return true;
  const destination = headers["sec-fetch-dest"];
  // Browsers omit the header on plain http, except on this machine.
  if (destination === undefined) return headers.accept?.includes("text/html") ?? false;
  return destination === "document" || destination === "iframe";
}

/**
 * Returns true when a script can be appended to a response's body.
 *
 * @param response The worker's response.
 */
export function takesScript({ statusCode = 0, headers }: IncomingMessage): boolean {
  if (statusCode < 200 || statusCode === 204 || statusCode === 304) return false;
  if (!headers["content-type"]?.startsWith("text/html")) return false;
  if (headers["content-encoding"] !== undefined || headers["content-range"] !== undefined) {
    return false;
  }
  const policies = [headers["content-security-policy"] ?? []].flat();
  return policies.every(allowsOwnScript);
}

/**
 * Returns true when a content security policy allows the script; otherwise adding it would only
 * fill the browser's console with errors.
 */
function allowsOwnScript(policy: string): boolean {
  const directives = new Map(
    policy.split(";").map((part) => {
      const [name = "", ...values] = part.trim().toLowerCase().split(/\s+/);
      return [name, values] as const;
    }),
  );
  return ["script-src", "connect-src"].every((name) => {
    const values = directives.get(name) ?? directives.get("default-src");
    return values === undefined || values.includes("'self'") || values.includes("*");
  });
}
