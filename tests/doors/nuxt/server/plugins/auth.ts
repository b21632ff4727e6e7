import { nuxtAuth } from "@framework/auth/nuxt";
import { auth } from "../utils/auth.ts";

export default nuxtAuth(auth, { createError });
