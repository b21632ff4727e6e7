/** What the browser says about a ceremony (WebAuthn Level 3, 5.8.1). */
export interface ClientData {
  /** Which ceremony it was. */
  type: string;
  /** The challenge that was signed. */
  challenge: string;
  /** The page that asked for it. */
  origin: string;
}

// As the standard decodes it: a byte order mark is not part of the text.
const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * Reads what the browser says. A page in a frame of another site is refused: its visitor does not see where a
 * click leads.
 *
 * @throws {Error} When it is malformed, or the ceremony happened in such a frame.
 */
export function readClientData(bytes: Uint8Array): ClientData {
  const parsed: unknown = JSON.parse(utf8.decode(bytes));
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error("Client data that is no object");
  }
  // A map, in which no name can be one that objects have already.
  const fields = new Map<string, unknown>(Object.entries(parsed));
  const [type, challenge, origin] = ["type", "challenge", "origin"].map((name) => fields.get(name));
  if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string") {
    throw new Error("Client data without type, challenge or origin");
  }
  const embedded = (fields.get("crossOrigin") ?? false) !== false ||
    (fields.get("topOrigin") ?? null) !== null;
  if (embedded) throw new Error("Ceremony in a frame of another site");
  return { type, challenge, origin };
}
