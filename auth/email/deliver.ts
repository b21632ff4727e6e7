import { EmailNotSentError } from "../errors/email_errors.ts";
import type { CheckedEmail } from "../providers/email_config.ts";
import type { EmailParams } from "../providers/application.ts";
import type { EndpointContext } from "../http/contracts.ts";

const TIMEOUT = 10_000;

/** What went wrong, for the log: a mailer's error may repeat the mail, and the mail opens an account. */
export function withoutSecrets(
  error: unknown,
  { token, code }: Pick<EmailParams, "token" | "code">,
): Error {
  const { name = "Error", message = String(error), stack = "" } = error instanceof Error
    ? error
    : {};
  function clean(text: string): string {
    const short = text.replaceAll(token, "[token]");
    return code === undefined ? short : short.replaceAll(code, "[code]");
  }
  const cleaned = new Error(clean(message));
  cleaned.name = name;
  cleaned.stack = clean(stack);
  return cleaned;
}

function waitFor(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Lets the application send an e-mail, and waits ten seconds for it at most.
 *
 * @param params What is sent.
 * @param timeout Milliseconds, for tests.
 * @throws {EmailNotSentError} When that failed or did not end.
 */
export async function deliver(
  { send, from }: Pick<CheckedEmail, "send" | "from">,
  params: EmailParams,
  { context, timeout = TIMEOUT }: { context: EndpointContext; timeout?: number },
): Promise<void> {
  const { env, request, auth: { settings: { logger, deliver: carry } } } = context.store;
  const controller = new AbortController();
  const late = new Error(`sendVerificationRequest() did not end within ${timeout} ms`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  const { signal } = controller;
  try {
    const sendOwn = () => send(params, { env, request, from, signal });
    const sending = carry === undefined ? sendOwn() : carry({ ...params, from }, sendOwn);
    await Promise.race([sending, waitFor(signal)]);
  } catch (error) {
    const { requestId } = context;
    logger.error("email-not-sent", { requestId, error: withoutSecrets(error, params) });
    throw new EmailNotSentError();
  } finally {
    clearTimeout(timer);
  }
}
