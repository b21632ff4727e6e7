import {
  createAuth,
  createMemoryStorage,
  credentials,
  deviceBound,
  getUser,
} from "@framework/auth";
import process from "node:process";
import { runRounds } from "./rounds.ts";

// One program for Deno and Node.

const ORIGIN = "https://app.example";

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function encodeJson(value: unknown): string {
  return encode(new TextEncoder().encode(JSON.stringify(value)));
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()
    .map((line) => line.split(";")[0]!)
    .filter((pair) => pair.startsWith("framework.session-token")).join("; ");
}

/** Signs in, and binds the session where that is on. */
async function createCheck(isBound: boolean): Promise<() => Promise<Response>> {
  const auth = createAuth({
    database: createMemoryStorage(),
    baseUrl: ORIGIN,
    session: isBound ? { deviceBound: deviceBound({ maxAge: 3600, sendMail: () => {} }) } : {},
    providers: [
      credentials({
        credentials: { pin: { label: "PIN", type: "password" } },
        authorize: () => Promise.resolve({ id: "ada" }),
      }),
    ],
    pages: { signIn: "/login" },
  });

  async function send(path: string, headers: Record<string, string>): Promise<Response> {
    const body = path.startsWith("/signin") ? new URLSearchParams({ pin: "1234" }) : null;
    const init = { method: "POST", headers: { origin: ORIGIN, ...headers }, body };
    const info = { clientAddress: "192.0.2.1" };
    return (await auth.handle(new Request(`${ORIGIN}/auth${path}`, init), {}, info))!;
  }

  const signedIn = await send("/signin/credentials", {});
  let cookie = cookieOf(signedIn);
  if (isBound) {
    const offer = signedIn.headers.get("secure-session-registration")!;
    const curve = { name: "ECDSA", namedCurve: "P-256" };
    const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, true, ["sign"]);
    const jwk = await crypto.subtle.exportKey("jwk", publicKey);
    const text = `${encodeJson({ typ: "dbsc+jwt", alg: "ES256", jwk })}.${
      encodeJson({ jti: /challenge="([^"]+)"/.exec(offer)![1] })
    }`;
    const ecdsa = { name: "ECDSA", hash: "SHA-256" };
    const bytes = new TextEncoder().encode(text);
    const signature = new Uint8Array(await crypto.subtle.sign(ecdsa, privateKey, bytes));
    const proof = `${text}.${encode(signature)}`;
    const bound = await send("/device/start", { cookie, "secure-session-response": proof });
    if (bound.status !== 200) throw new Error(`The session was not bound: ${bound.status}`);
    cookie = `${cookie}; ${cookieOf(bound)}`;
  }
  const request = new Request(`${ORIGIN}/page`, { headers: { cookie } });
  const answer = () => new Response(getUser()!.id);
  return () => auth.run(request, {}, undefined, answer);
}

const plain = await createCheck(false);
const bound = await createCheck(true);
const timings = await runRounds([
  { name: "without", run: plain },
  { name: "bound", run: bound },
], { rounds: 150, jobs: 1000, clock: cpuTime });
process.stdout.write(JSON.stringify(timings));
