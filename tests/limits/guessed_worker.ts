import { d1 } from "@framework/auth/d1";
import { createGuessed, type Guessed } from "./guessed.ts";

interface Env {
  DB: Parameters<typeof d1>[0];
  BASE_URL: string;
  LIMITED: boolean;
}

let guessed: Guessed | undefined;

/** The application on workers; `/prepare` makes the account. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, { DB, BASE_URL, LIMITED }) {
    const { auth, prepare } = guessed ??= createGuessed(d1(DB), {
      baseUrl: BASE_URL,
      limited: LIMITED,
    });
    if (new URL(request.url).pathname === "/prepare") {
      await prepare();
      return new Response("ready");
    }
    return await auth.handle(request, {}) ?? new Response("Home");
  },
};

export default worker;
