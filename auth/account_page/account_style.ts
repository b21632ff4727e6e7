/** What the account page looks like beyond the other pages: sections side by side with what they are about. */
const TEXT = `main:has(section){gap:1.5rem;max-width:54rem}
section{display:grid;grid-template-columns:100%;gap:1rem;padding-top:1.5rem;border-top:1px solid var(--line)}
section form+:not(form){padding:0;border:0}
section form{max-width:26rem}
section button{justify-self:start;padding:.45rem .9rem}
section form:not(:has(label)) button{color:var(--accent);background:none;border-color:var(--quiet)}
ul{padding:0;list-style:none;border:1px solid var(--line);border-radius:.75rem}
li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.75rem 1rem}
li+li{border-top:1px solid var(--line)}
li>div{flex:1 1 11rem;gap:0}
li button{padding:.35rem .75rem;font-size:.875rem}
li details{flex-basis:100%}
summary{width:fit-content;color:var(--accent);font-size:.875rem;cursor:pointer}
details[open]>summary{margin-bottom:1rem}
.owner{display:grid;overflow-wrap:anywhere}
.mark{padding:.1rem .5rem;color:var(--accent);font-size:.75rem;border:1px solid;border-radius:1rem;white-space:nowrap}
[role=status]{padding:.75rem;color:var(--accent);border:1px solid;border-radius:.5rem}
a.grave{color:var(--bad)}
button.grave{background:var(--bad);border-color:var(--bad)}
@media(min-width:48rem){section{grid-template-columns:12rem minmax(0,1fr);gap:2rem}}
`;

/** Its stylesheet. The hash is written down, as that of all pages is. */
export const ACCOUNT_STYLE: { text: string; hash: string } = {
  text: TEXT,
  hash: "sha256-c5L5myOgVrHDGC+GzmTx0Z7aonL2kC96i7hrheQGUrI=",
};
