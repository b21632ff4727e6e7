export const headers = {
  "content-security-policy": "default-src 'self'; frame-ancestors https://partner.example",
  "referrer-policy": null,
};

export default function PolicyPage(): string {
  return "Framed by a partner";
}
