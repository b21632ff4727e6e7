import type { AuthOptions } from "../app/options.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import type { PasskeyConfig } from "../sign_in/passkey/challenge.ts";
import {
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "./application.ts";

/** An application with passwords and passkeys, and without limits unless the options have some. */
export function createPasskeyApplication(
  config: Partial<PasskeyConfig> = {},
  options: Partial<AuthOptions> = {},
): TestApplication {
  return createTestApplication({
    providers: [
      passwordProvider(),
      passkey({ rpName: "The application", rpId: "app.example", origin: ORIGIN, ...config }),
    ],
    rateLimit: false,
    ...options,
  });
}
