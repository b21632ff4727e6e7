/** The few types of DER that a certificate is made of (ITU-T X.690). */

/** A value with its tag and length. */
export function der(tag: number, ...contents: Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  const head = length < 0x80 ? [tag, length] : [tag, ...longLength(length)];
  const whole = new Uint8Array(head.length + length);
  whole.set(head);
  let at = head.length;
  for (const part of contents) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** `SEQUENCE`. */
export function sequence(...contents: Uint8Array[]): Uint8Array {
  return der(0x30, ...contents);
}

/** `OBJECT IDENTIFIER`, from its dotted form. */
export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Uint8Array.from(bytes));
}

/** `INTEGER` of a positive number, from its bytes. */
export function positiveInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  // A first bit that is set would make it negative.
  return der(0x02, ...(digits[0]! >= 0x80 ? [Uint8Array.of(0)] : []), digits);
}

/** `BIT STRING` of whole bytes. */
export function bitString(bytes: Uint8Array): Uint8Array {
  return der(0x03, Uint8Array.of(0), bytes);
}

/** `UTF8String`. */
export function utf8String(text: string): Uint8Array {
  return der(0x0c, new TextEncoder().encode(text));
}

/** `UTCTime`, which ends with the year 2049. */
export function utcTime(date: Date): Uint8Array {
  const digits = date.toISOString().replace(/\..*$/, "").replace(/[-:T]/g, "").slice(2);
  return der(0x17, new TextEncoder().encode(`${digits}Z`));
}

function longLength(length: number): number[] {
  const bytes: number[] = [];
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff);
  return [0x80 | bytes.length, ...bytes];
}
