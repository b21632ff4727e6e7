import { SECURITY_HEADERS } from "../http/page.ts";
import { PASSKEY_SCRIPT } from "./script_text.ts";

/** `GET /passkey.js`: the script of the forms. */
export function sendPasskeyScript(): Response {
  return new Response(PASSKEY_SCRIPT, {
    headers: { ...SECURITY_HEADERS, "content-type": "text/javascript; charset=utf-8" },
  });
}
