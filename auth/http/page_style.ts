/** The stylesheet of the built-in pages: the colours of the platform, light or dark, and three of its own. */
export const PAGE_STYLE: string =
  `:root{color-scheme:light dark;--quiet:light-dark(#5b636d,#a3acb8);--accent:light-dark(#1f5fd0,#8ab4ff);
--bad:light-dark(#a31621,#ffb3b8)}
*{box-sizing:border-box;margin:0}
body{place-items:center;min-height:100vh;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;background:Canvas}
body,main,div,form,label{display:grid;grid-template-columns:100%;gap:1rem}
[hidden]{display:none}
main{width:100%;max-width:24rem;padding:2rem;border:1px solid var(--quiet);border-radius:.75rem}
h1{font-size:1.5rem;line-height:1.2}
h2{font-size:1.1rem}
form+:not(form){padding-top:1rem;border-top:1px solid var(--quiet)}
label{gap:.35rem;font-weight:600}
input,button{font:inherit;padding:.6rem .75rem;border:1px solid var(--quiet);border-radius:.4rem}
input{font-weight:400}
::placeholder{color:var(--quiet)}
button{font-weight:600;color:Canvas;background:var(--accent);cursor:pointer}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.alert{padding:.75rem;color:var(--bad);border:1px solid;border-radius:.4rem}
.quiet{color:var(--quiet);font-size:.875rem;overflow-wrap:anywhere}
`;

/**
 * What the Content-Security-Policy calls the stylesheet (CSP Level 3, 8.2). Written down rather than
 * computed, so that a bundle of the middleware alone carries no hash function; a test keeps it right.
 */
export const PAGE_STYLE_HASH: string = "sha256-oEicfv0GHp8JGADvfsD6dtEwPI/2XDuyFgYqh+JQ6Gs=";
