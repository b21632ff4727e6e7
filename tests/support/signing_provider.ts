/** Call that a provider has received. */
export interface ProviderCall {
  url: string;
  method: string;
  headers: Headers;
  body: URLSearchParams;
}

/** A provider of OpenID Connect in place of the network, which signs ID tokens. */
export interface SigningProvider {
  /** Answer of each endpoint, by its URL. Further ones may be added. */
  answers: Record<string, (call: ProviderCall) => unknown>;
  /** Claims of its ID tokens, beside the issuer, the audience, the nonce and the times, or in their place. */
  claims: Record<string, unknown>;
  /** Reads the nonce of the next ID token from the address at which the sign-in starts. */
  expect(start: string): void;
}

const SIGNATURE = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

function encode(value: Uint8Array | object): string {
  const bytes = value instanceof Uint8Array
    ? value
    : new TextEncoder().encode(JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Keys of the providers of a program, of which each has others than the one before it: to find primes takes longer than
 * most tests.
 */
const pairs: CryptoKeyPair[] = [];
let made = 0;

async function makeKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(
    { ...SIGNATURE, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  ) as CryptoKeyPair;
}

/**
 * Makes such a provider, with web APIs alone: it runs on every runtime. Its client has the id "app".
 *
 * @param issuer Issuer, without a final slash.
 * @param options `claims` of the ID tokens; `metadata`: further fields of the discovery document; `now`: the time
 * of the signature in milliseconds since 1970, by default the clock's.
 */
export async function createSigningProvider(
  issuer: string,
  { claims = {}, metadata = {}, now }: {
    claims?: Record<string, unknown>;
    metadata?: Record<string, unknown>;
    now?: number;
  } = {},
): Promise<SigningProvider> {
  const { publicKey, privateKey } = pairs[made++ % 2] ??= await makeKeys();
  const jwk = { ...await crypto.subtle.exportKey("jwk", publicKey), kid: "k", alg: "RS256" };
  let nonce: string | null = null;

  async function signToken(): Promise<string> {
    const seconds = Math.floor((now ?? Date.now()) / 1000);
    const own = { iss: issuer, aud: "app", nonce, iat: seconds, exp: seconds + 300 };
    const text = `${encode({ alg: "RS256", kid: "k" })}.${encode({ ...own, ...provider.claims })}`;
    const bytes = new TextEncoder().encode(text);
    const signature = await crypto.subtle.sign(SIGNATURE, privateKey, bytes);
    return `${text}.${encode(new Uint8Array(signature))}`;
  }

  const provider: SigningProvider = {
    claims,
    expect(start) {
      nonce = new URL(start).searchParams.get("nonce");
    },
    answers: {
      [`${issuer}/.well-known/openid-configuration`]: () => ({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ["RS256"],
        ...metadata,
      }),
      [`${issuer}/keys`]: () => ({ keys: [jwk] }),
      async [`${issuer}/token`]({ body }) {
        const refreshed = body.get("grant_type") === "refresh_token";
        return {
          access_token: refreshed ? "second" : "first",
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: "refresh",
          ...!refreshed && { id_token: await signToken() },
        };
      },
    },
  };
  return provider;
}
