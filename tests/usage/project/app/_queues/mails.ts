interface Mail {
  to: string;
}

interface Message {
  body: Mail;
  attempts: number;
  ack(): void;
  retry(options?: { delaySeconds?: number }): void;
}

export interface MailEnv {
  MAILER: { send(mail: Mail): Promise<{ id: string }> };
}

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

export async function queue(messages: readonly Message[], env: MailEnv, _ctx: Context) {
  for (const message of messages) {
    try {
      await env.MAILER.send(message.body);
      message.ack();
    } catch {
      message.retry({ delaySeconds: 30 * message.attempts });
    }
  }
}
