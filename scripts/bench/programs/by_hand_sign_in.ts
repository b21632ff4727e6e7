import { ORIGIN, PERSON, SECRET } from "./better_auth.ts";

// What a careful programmer writes for one application: the floor of sign-ins.

const encoder = new TextEncoder();
const HEADER = textOf(encoder.encode('{"alg":"HS256","typ":"JWT"}'));

function textOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The key of the application. */
export async function importSecret(): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", encoder.encode(SECRET), algorithm, false, [
    "sign",
    "verify",
  ]);
}

/** The `Set-Cookie` line of a new session, as a signed token. */
export async function mintByHand(key: CryptoKey): Promise<string> {
  const { name, email } = PERSON;
  const iat = Math.floor(Date.now() / 1000);
  const jti = textOf(crypto.getRandomValues(new Uint8Array(16)));
  const claims = { sub: "ada", name, email, iat, exp: iat + 86_400, jti };
  const signed = `${HEADER}.${textOf(encoder.encode(JSON.stringify(claims)))}`;
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(signed));
  const token = `${signed}.${textOf(new Uint8Array(signature))}`;
  return `session=${token}; Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Lax`;
}

/** Answers the form of a sign-in. */
export async function signInByHand(
  request: Request,
  { key, verify }: { key: CryptoKey; verify(password: string): Promise<boolean> },
): Promise<Response> {
  if (request.headers.get("origin") !== ORIGIN) return new Response(null, { status: 403 });
  const form = new URLSearchParams(await request.text());
  const isPerson = form.get("email")?.trim().toLowerCase() === PERSON.email;
  if (!await verify(form.get("password") ?? "") || !isPerson) {
    return new Response(null, { status: 401 });
  }
  return new Response(null, {
    status: 303,
    headers: { location: "/", "set-cookie": await mintByHand(key) },
  });
}

/** The start of a sign-in at the provider: state and PKCE, remembered in a signed cookie. */
export async function startByHand(key: CryptoKey): Promise<{ state: string; cookie: string }> {
  const verifier = textOf(crypto.getRandomValues(new Uint8Array(32)));
  const state = textOf(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = await crypto.subtle.digest("SHA-256", encoder.encode(verifier));
  const url = new URL("https://github.com/login/oauth/authorize");
  url.search = new URLSearchParams({
    "client_id": "id",
    "redirect_uri": `${ORIGIN}/callback`,
    "response_type": "code",
    scope: "read:user user:email",
    state,
    "code_challenge": textOf(new Uint8Array(challenge)),
    "code_challenge_method": "S256",
  }).toString();
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(`${state}.${verifier}`));
  const cookie = `${state}.${verifier}.${textOf(new Uint8Array(signature))}`;
  new Response(null, { status: 303, headers: { location: url.href, "set-cookie": cookie } });
  return { state, cookie };
}

/** The way back from the provider: checks the state, asks for the token and the user, makes a session. */
export async function callbackByHand(
  { state, cookie }: { state: string; cookie: string },
  key: CryptoKey,
): Promise<Response> {
  const [kept = "", verifier = "", given = ""] = cookie.split(".");
  const bytes = Uint8Array.from(
    atob(given.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0),
  );
  const signed = encoder.encode(`${kept}.${verifier}`);
  const isOurs = await crypto.subtle.verify("HMAC", key, bytes, signed);
  if (!isOurs || kept !== state) return new Response(null, { status: 400 });
  const response = await fetch("https://github.com/login/oauth/access_token", {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams({
      "client_id": "id",
      "client_secret": "a secret",
      "grant_type": "authorization_code",
      code: "code",
      "code_verifier": verifier,
    }),
  });
  const { access_token: token } = await response.json();
  const headers = { authorization: `Bearer ${token}` };
  const user = await (await fetch("https://api.github.com/user", { headers })).json();
  const emails = await (await fetch("https://api.github.com/user/emails", { headers })).json();
  if (user.id !== 1 || !emails[0].verified) return new Response(null, { status: 403 });
  return new Response(null, {
    status: 303,
    headers: { location: "/", "set-cookie": await mintByHand(key) },
  });
}
