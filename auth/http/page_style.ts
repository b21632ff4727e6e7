/** The stylesheet of the built-in pages: light or dark as the platform is. A button beside others that asks for nothing is one of several ways. */
export const PAGE_STYLE: string =
  `:root{color-scheme:light dark;--quiet:light-dark(#5b636d,#a3acb8);--accent:light-dark(#1f5fd0,#8ab4ff);
--bad:light-dark(#a31621,#ffb3b8);--line:light-dark(#dce1e8,#2f3742);--card:light-dark(#fff,#171b21)}
*{box-sizing:border-box;margin:0}
body{place-items:center;min-height:100vh;padding:clamp(.75rem,4vw,1.5rem);font:1rem/1.5 system-ui,sans-serif;
background:light-dark(#f4f6f9,#0e1115)}
body,main,div,form,label{display:grid;grid-template-columns:100%;gap:1rem}
[hidden]{display:none}
main{width:100%;max-width:25rem;padding:clamp(1.25rem,6vw,2rem);color:light-dark(#171b21,#e8ecf1);
background:var(--card);border:1px solid var(--line);border-radius:.75rem;box-shadow:0 .5rem 1.5rem #00000012}
h1{font-size:1.5rem;line-height:1.2}
h2{font-size:1.1rem}
form+:not(form){padding-top:1rem;border-top:1px solid var(--line)}
label{gap:.35rem;font-weight:600}
input,button{font:inherit;padding:.6rem .75rem;border:1px solid var(--quiet);border-radius:.5rem}
input{color:inherit;font-weight:400;background:none}
::placeholder{color:var(--quiet)}
button{font-weight:600;color:var(--card);background:var(--accent);border-color:var(--accent);cursor:pointer}
form:not(:has(label),:only-of-type) button{color:var(--accent);background:none;border-color:var(--quiet)}
button:hover{filter:brightness(1.1)}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.alert{padding:.75rem;color:var(--bad);border:1px solid;border-radius:.5rem}
.quiet{color:var(--quiet);font-size:.875rem;overflow-wrap:anywhere}
`;

/**
 * What the Content-Security-Policy calls the stylesheet (CSP Level 3, 8.2). Written down rather than
 * computed, so that a bundle of the middleware alone carries no hash function; a test keeps it right.
 */
export const PAGE_STYLE_HASH: string = "sha256-iQ4gWf0+YPXRA3ckW5oZNg9XnY/RXw5rU/nVqdp9xSw=";
