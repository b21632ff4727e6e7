/**
 * What is put behind a page that failed: the error with its place, over whatever page the application shows for it.
 *
 * @param text What the terminal says, without colours.
 */
export function errorOverlay(text: string): string {
  const escaped = text.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
  const panel =
    "position:fixed;z-index:2147483647;inset:auto 0 0 0;max-height:60vh;overflow:auto;" +
    "background:#1b1b1f;color:#f3f3f3;border-top:4px solid #d33;padding:0.75rem 1rem;" +
    "font:14px/1.5 system-ui,sans-serif";
  return `<details open id="framework-error" style="${panel}"><summary>This page failed</summary>` +
    `<pre style="white-space:pre-wrap;font:13px/1.5 ui-monospace,monospace">${escaped}</pre></details>\n`;
}
