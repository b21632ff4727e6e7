/** The stylesheet of the built-in pages. */
export const PAGE_STYLE =
  `:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--text:#1a1d21;--quiet:#5b636d;
--line:#c9ced6;--accent:#1f5fd0;--on-accent:#fff;--bad:#a31621;--bad-ground:#fdecee}
@media (prefers-color-scheme:dark){:root{--ground:#111418;--card:#1a1e24;--text:#eceff3;--quiet:#a3acb8;
--line:#444c57;--accent:#8ab4ff;--on-accent:#0b1626;--bad:#ffb3b8;--bad-ground:#3a1a1e}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);
color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:24rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.2}
h2{margin:1.5rem 0 .75rem;font-size:1.1rem}
p{margin:0 0 1rem}
form{display:grid;gap:1rem;margin:0}
form+h2,form+form{border-top:1px solid var(--line);margin-top:1.5rem;padding-top:1.5rem}
label{display:grid;gap:.35rem;font-weight:600}
input{font:inherit;font-weight:400;padding:.6rem .75rem;color:inherit;background:var(--ground);
border:1px solid var(--quiet);border-radius:.4rem}
button{font:inherit;font-weight:600;padding:.65rem 1rem;color:var(--on-accent);background:var(--accent);
border:0;border-radius:.4rem;cursor:pointer}
a{color:var(--accent)}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.alert{padding:.75rem;color:var(--bad);background:var(--bad-ground);border-radius:.4rem}
.quiet{color:var(--quiet);font-size:.875rem;overflow-wrap:anywhere}
`;

/**
 * What the Content-Security-Policy calls the stylesheet (CSP Level 3, 8.2). Written down rather than
 * computed, so that a bundle of the middleware alone carries no hash function; a test keeps it right.
 */
export const PAGE_STYLE_HASH: string = "sha256-xqaiFBMnCzl8AojH0x0VHuEbjo2uVM/wgTdABMoiAs0=";
