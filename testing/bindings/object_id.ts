import { createHash, randomBytes } from "node:crypto";

/** Id of a durable object. */
export interface ObjectId {
  /** What it was made of, when it was made of a name. */
  readonly name?: string;
  toString(): string;
  equals(other: { toString(): string }): boolean;
}

/** Makes the ids of one class. */
export interface ObjectIds {
  idFromName(name: string): ObjectId;
  newUniqueId(): ObjectId;
  /** @throws {TypeError} For anything but an id of this class. */
  idFromString(text: string): ObjectId;
}

const known = new WeakSet<object>();

/** Whether a value is an id that a namespace made. */
export function isObjectId(value: unknown): value is ObjectId {
  return typeof value === "object" && value !== null && known.has(value);
}

/**
 * Makes ids as the platform has them: 64 hexadecimal digits, of which the second half proves that the
 * first was made for this class.
 */
export function createObjectIds(className: string): ObjectIds {
  const proofOf = (base: string) => digest(`${className}\0${base}`);
  const complete = (base: string, name?: string) => createId(base + proofOf(base), name);
  return {
    idFromName: (name) => complete(digest(`name\0${name}`), name),
    newUniqueId: () => complete(randomBytes(16).toString("hex")),
    idFromString(text) {
      if (!/^[0-9a-fA-F]{64}$/.test(text)) {
        throw new TypeError("Invalid Durable Object ID: must be 64 hex digits");
      }
      const id = text.toLowerCase();
      if (proofOf(id.slice(0, 32)) !== id.slice(32)) {
        throw new TypeError("Durable Object ID is not valid for this namespace.");
      }
      return createId(id);
    },
  };
}

function createId(text: string, name?: string): ObjectId {
  const id = Object.create({
    toString: () => text,
    equals: (other: { toString(): string }) => other.toString() === text,
  }) as { name?: string };
  if (name !== undefined) id.name = name;
  known.add(id);
  return id as ObjectId;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
