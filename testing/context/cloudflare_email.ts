// Stands in for `cloudflare:email` in a worker that runs in process.
export { EmailMessage } from "./email_delivery.ts";
