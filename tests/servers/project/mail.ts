import type { Mail } from "@framework/auth";

/** The application's own way to send; here mails go to the terminal. */
export function sendMail({ to, subject, text }: Mail): void {
  console.log(`To: ${to}\nSubject: ${subject}\n\n${text}`);
}
