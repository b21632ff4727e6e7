import type { JSX } from "hono/jsx/jsx-runtime";
import { siteName } from "../../_components/site.ts";

export const metadata = { title: `Look into your mail · ${siteName}` };

/** Confirmation page for visitors who asked for a link. It says the same for every address. */
export default function LinkSentPage(): JSX.Element {
  return (
    <section class="panel" aria-labelledby="title">
      <h1 id="title">Look into your mail</h1>
      <p>If that address can sign in here, a link is on its way to it. It holds for an hour.</p>
      <p class="aside">While you develop, mails are printed in the terminal of the server.</p>
    </section>
  );
}
