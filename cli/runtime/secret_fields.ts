/** Words of names of secrets that are part of no other word. */
const PARTS = /passw|passphrase|passcode|secret|token|credential|cvc|cvv/i;
/** Words that other words contain: "shipping" has a pin, and "compass" a pass. */
const WORDS =
  /(?:^|[^a-z0-9])(?:pass|pwd|pin|otp|totp|csc|(?:api|access|private|secret)[^a-z0-9]?key)(?![a-z])/i;
/** Words that are secrets in pairs: of "code" and "number" alone there are others, such as a postcode. */
const PAIRS =
  /(?:^|[^a-z0-9])(?:(?:card|cc|account)[^a-z0-9]?(?:number|num|no|nr)|(?:security|verification|confirmation|recovery|backup|auth|authentication|login|signin|sms|mfa|2fa|one[^a-z0-9]?time)[^a-z0-9]?codes?|iban|ssn|mnemonic|seed[^a-z0-9]?phrase)(?![a-z])/i;
/** Names that are secrets where they stand alone: "code" is the one of a mail, "country_code" is not. */
const ALONE = /(?:^|[.\]])(?:code|card)(?:\[\])?$/i;
/** A leading underscore marks any other field as a secret. */
const MARKED = /(?:^|[.\]])_/;

/** Returns true for a field whose value is never sent back, by its name. */
export function isSecretField(name: string): boolean {
  if (PARTS.test(name) || MARKED.test(name) || ALONE.test(name)) return true;
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_");
  return WORDS.test(words) || PAIRS.test(words);
}

/** Characters by which a secret is recognized in a message: libraries shorten what they quote. */
const LONGEST_PROBE = 16;
/** Secrets that are shorter are parts of ordinary words, and count where a message quotes them. */
const SHORTEST_INSIDE = 4;

/**
 * Creates a function that recognizes messages which quote a secret of an input. Its time depends on the
 * length of the message alone, and not on the number of secrets.
 *
 * @param input Input as it was sent, before a schema has changed it.
 */
export function createSecretFinder(input: unknown): (message: string) => boolean {
  const probes = new Set<string>();
  collect(input, false, probes);
  const lengths = [...new Set([...probes].map(({ length }) => length))];
  return (message) => {
    const text = message.toLowerCase();
    return lengths.some((length) => {
      for (let at = 0; at + length <= text.length; at++) {
        if (!probes.has(text.slice(at, at + length))) continue;
        const isQuoted = !/\w/.test((text[at - 1] ?? "") + (text[at + length] ?? ""));
        if (length >= SHORTEST_INSIDE || isQuoted) return true;
      }
      return false;
    });
  };
}

/** Adds the beginnings of all secrets in a value; schemas trim texts and change their case. */
function collect(value: unknown, isSecret: boolean, probes: Set<string>): void {
  if (typeof value === "object" && value !== null) {
    if (value instanceof Blob) return;
    for (const [key, each] of Object.entries(value)) {
      collect(each, isSecret || isSecretField(key), probes);
    }
  } else if (isSecret && (typeof value === "string" || typeof value === "number")) {
    const text = String(value).trim().slice(0, LONGEST_PROBE).toLowerCase();
    if (text === "") return;
    probes.add(text);
    // As libraries quote it that print JSON.
    probes.add(JSON.stringify(text).slice(1, -1).slice(0, LONGEST_PROBE));
  }
}
