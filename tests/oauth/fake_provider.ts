import { createOAuth2Provider, type OAuth2ProviderConfig, type Provider } from "@framework/auth";

/** A call that the application made. */
export interface Call {
  method: string;
  url: string;
  headers: Headers;
  body: URLSearchParams;
}

/** A provider of plain OAuth 2.0 that stands in for the network. Its codes are the names of people. */
export interface FakeProvider {
  /** Takes the place of `fetch`. */
  fetch: typeof fetch;
  /** Requests of the application. */
  calls: Call[];
  /** Claims about people, by code. */
  people: Map<string, unknown>;
  /** Further fields of the token endpoint's response. */
  tokens: Record<string, unknown>;
  /** Answers in its place, where it is set and does. */
  answer: ((call: Call) => Response | undefined | Promise<Response | undefined>) | null;
  /** The provider for the application. */
  provider(config?: Partial<OAuth2ProviderConfig>): Provider;
}

/** Makes a provider. */
export function createFakeProvider(): FakeProvider {
  const fake: FakeProvider = {
    calls: [],
    people: new Map<string, unknown>([
      ["ada", { id: "1", name: "Ada", email: "ada@example.com", verified: true }],
      ["grace", { id: "2", name: "Grace", email: "grace@example.com", verified: true }],
    ]),
    tokens: {},
    answer: null,
    async fetch(input, init) {
      const request = new Request(input, init);
      const { method, url, headers } = request;
      const body = new URLSearchParams(method === "POST" ? await request.text() : "");
      const call = { method, url, headers, body };
      fake.calls.push(call);
      const answer = await fake.answer?.(call);
      if (answer !== undefined) return answer;
      const { pathname } = new URL(url);
      if (pathname === "/token") {
        const token = body.get("code") ?? body.get("refresh_token");
        return Response.json({ access_token: token, token_type: "bearer", ...fake.tokens });
      }
      const name = headers.get("authorization")?.replace("Bearer ", "") ?? "";
      return Response.json(fake.people.get(name) ?? null);
    },
    provider: (config = {}) =>
      createOAuth2Provider({
        id: "fake",
        name: "Fake",
        clientId: "app",
        clientSecret: "a secret",
        authorization: "https://id.example/authorize?audience=x&state=planted",
        token: "https://id.example/token",
        userinfo: "https://id.example/me",
        profile(said) {
          const { id, name, email, verified } = said as Record<string, string>;
          return {
            id: id!,
            name: name!,
            email: email!,
            emailVerified: verified ? new Date() : null,
          };
        },
        ...config,
      }),
  };
  return fake;
}

/** The answer of the fake provider to whoever was sent there. */
export function answerOf(start: string, code: string, more: Record<string, string> = {}): string {
  const { searchParams } = new URL(start);
  const url = new URL(searchParams.get("redirect_uri")!);
  url.search = new URLSearchParams({ code, state: searchParams.get("state")!, ...more }).toString();
  return url.href;
}
