import { brandColor } from "../_components/site.ts";

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="${brandColor}" />
  <path d="M10 9h13M10 9v15M10 16h9" fill="none" stroke="#fff" stroke-width="3"
    stroke-linecap="round" />
</svg>
`;

/** `GET /favicon.svg`: the icon, which is the logo of the pages below `/auth` too. */
export function GET(): Response {
  return new Response(icon, {
    headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" },
  });
}
