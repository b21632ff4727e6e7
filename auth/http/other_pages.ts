import { knownErrorMessage } from "./error_messages.ts";
import { markup } from "./html.ts";
import { pageResponse } from "./page.ts";

/** What the sign-out page shows. */
export interface SignOutPage {
  /** Where the endpoints are. */
  basePath: string;
  /** Where to go afterwards; it has passed the redirect guard. */
  callbackUrl: string | null;
  /** Origins to which the redirect afterwards may lead. */
  formOrigins: Iterable<string>;
}

/** The built-in sign-out page: a question, since a link alone must not sign anybody out. */
export function signOutPage(page: SignOutPage): Response {
  return pageResponse({
    title: "Sign out",
    formOrigins: page.formOrigins,
    body: markup`<p>Do you want to sign out?</p>
<form method="post" action="${page.basePath}/signout">
${
      page.callbackUrl !== null &&
      markup`<input type="hidden" name="callbackUrl" value="${page.callbackUrl}">`
    }
<button type="submit">Sign out</button>
</form>`,
  });
}

/** The built-in error page. Of its address only a known code has an effect. */
export function errorPage(code: string | null, signIn: string): Response {
  return pageResponse({
    title: "This did not work",
    body: markup`<p class="alert">${knownErrorMessage(code) ?? "Something went wrong."}</p>
<p><a href="${signIn}">Sign in</a></p>
<p><a href="/">Go to the start page</a></p>`,
  });
}
