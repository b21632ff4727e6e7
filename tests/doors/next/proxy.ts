import { accounts } from "./auth";

export const proxy = accounts.proxy;
export const config = { matcher: ["/account/:path*"] };
