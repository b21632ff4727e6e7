/**
 * The page that answers while the application cannot run. The next good save shows without a hand on the browser:
 * the live reload sees to it, and without scripts the page asks again every second.
 *
 * @param text What the terminal says, without colours.
 */
export function errorPage(text: string): string {
  const escaped = text.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<noscript><meta http-equiv="refresh" content="1"></noscript>
<title>The application has a problem</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 10vh auto; padding: 0 1rem }
h1 { font-size: 1.25rem }
pre { overflow: auto; padding: 1rem; border-left: 4px solid #d33; background: color-mix(in srgb, currentColor 6%, transparent) }
</style>
</head>
<body>
<h1>The application has a problem</h1>
<pre>${escaped}</pre>
<p>This page comes back by itself after the next good save.</p>
</body>
</html>
`;
}
