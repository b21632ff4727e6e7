/** The few types of DER that a certificate is made of (ITU-T X.690). */

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isEveryAddress, networkAddresses } from "./host_check.ts";

/** Encodes a value with its tag and length. */
function der(tag: number, ...contents: Uint8Array[]): Uint8Array {
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
function sequence(...contents: Uint8Array[]): Uint8Array {
  return der(0x30, ...contents);
}

/** `OBJECT IDENTIFIER`, from its dotted form. */
function objectId(dotted: string): Uint8Array {
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
function positiveInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  // A first bit that is set would make it negative.
  return der(0x02, ...(digits[0]! >= 0x80 ? [Uint8Array.of(0)] : []), digits);
}

/** `BIT STRING` of whole bytes. */
function bitString(bytes: Uint8Array): Uint8Array {
  return der(0x03, Uint8Array.of(0), bytes);
}

/** `UTF8String`. */
function utf8String(text: string): Uint8Array {
  return der(0x0c, new TextEncoder().encode(text));
}

/** `UTCTime`, which ends with the year 2049. */
function utcTime(date: Date): Uint8Array {
  const digits = date.toISOString().replace(/\..*$/, "").replace(/[-:T]/g, "").slice(2);
  return der(0x17, new TextEncoder().encode(`${digits}Z`));
}

function longLength(length: number): number[] {
  const bytes: number[] = [];
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

/** A certificate with its key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

const DAY = 86_400_000;

/** Longest validity, in days, that browsers accept of a self-signed certificate. */
const validDays = 397;

const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"));

/**
 * Creates a self-signed certificate with a new key (RFC 5280; ECDSA with P-256).
 *
 * @param hosts Names and addresses that it is for.
 * @param now The time from which it holds, in milliseconds.
 * @returns The certificate, and when it ends.
 */
export function createCertificate(
  hosts: string[],
  now: number,
): Certificate & { expires: number } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const expires = now + validDays * DAY;
  const name = sequence(der(0x31, sequence(objectId("2.5.4.3"), utf8String("framework dev"))));
  const body = sequence(
    der(0xa0, positiveInteger(Uint8Array.of(2))),
    positiveInteger(randomBytes(16)),
    ecdsaWithSha256,
    name,
    // Clocks that are slightly behind must also accept it.
    sequence(utcTime(new Date(now - DAY)), utcTime(new Date(expires))),
    name,
    new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
    der(0xa3, extensions(hosts)),
  );
  const signature = new Uint8Array(sign("sha256", body, privateKey));
  const certificate = sequence(body, ecdsaWithSha256, bitString(signature));
  return {
    cert: toPem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    expires,
  };
}

function extensions(hosts: string[]): Uint8Array {
  const critical = der(0x01, Uint8Array.of(0xff));
  const names = hosts.map((host) =>
    isIP(host) === 0 ? der(0x82, new TextEncoder().encode(host)) : der(0x87, addressBytes(host))
  );
  return sequence(
    // It cannot sign other certificates, should somebody trust it.
    sequence(objectId("2.5.29.19"), critical, der(0x04, sequence())),
    sequence(objectId("2.5.29.15"), critical, der(0x04, der(0x03, Uint8Array.of(7, 0x80)))),
    sequence(objectId("2.5.29.37"), der(0x04, sequence(objectId("1.3.6.1.5.5.7.3.1")))),
    sequence(objectId("2.5.29.17"), der(0x04, sequence(...names))),
  );
}

function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split(".").map(Number));
  const { hostname } = new URL(`http://[${address}]`);
  const [before = "", after] = hostname.slice(1, -1).split("::");
  const left = before === "" ? [] : before.split(":");
  const right = after === undefined || after === "" ? [] : after.split(":");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...zeros, ...right].map((group) => parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function toPem(label: string, bytes: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** A stored certificate, and the file to trust. */
export interface KeptCertificate extends Certificate {
  /** Absolute path of the certificate without its key. */
  file: string;
  /** True when it has just been created, so that browsers do not trust it yet. */
  isNew: boolean;
}

interface Kept extends Certificate {
  hosts: string[];
  expires: number;
}

/** Time before expiry at which a certificate is replaced, in milliseconds. */
const renewal = 30 * 86_400_000;

/**
 * Returns the certificate of this machine's development servers. It is created once, stored with
 * its key where only the user can read it, and replaced when it is about to expire or lacks a host.
 *
 * @param host Address that the server listens on; for all addresses, those of the network are in it. The names of this
 * machine itself are always in it.
 * @param options `folder` is where it is kept; `now` is in milliseconds.
 */
export async function keepCertificate(
  host: string,
  { folder, now }: { folder: string; now: number },
): Promise<KeptCertificate> {
  const store = join(folder, "dev-certificate.json");
  const file = join(folder, "dev-certificate.pem");
  const reached = isEveryAddress(host) ? networkAddresses() : [host.replace(/^\[|\]$/g, "")];
  const wanted = ["localhost", "*.localhost", "127.0.0.1", "::1", ...reached];
  const kept = await read(store);
  const fits = kept !== undefined && kept.expires - now > renewal &&
    wanted.every((name) => kept.hosts.includes(name));
  if (fits) return { cert: kept.cert, key: kept.key, file, isNew: false };
  const hosts = [...new Set([...wanted, ...(kept?.hosts ?? [])])];
  const made = createCertificate(hosts, now);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replace(store, JSON.stringify({ ...made, hosts } satisfies Kept));
  await replace(file, made.cert);
  return { cert: made.cert, key: made.key, file, isNew: true };
}

/** Returns the user's settings folder of this program. */
export function settingsFolder(env: Record<string, string | undefined>): string {
  const base = process.platform === "win32" ? env["APPDATA"] : env["XDG_CONFIG_HOME"];
  return join(base || join(homedir(), ".config"), "framework");
}

async function read(file: string): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse(await readFile(file, "utf8")) as Kept;
    const isWhole = typeof kept.cert === "string" && typeof kept.key === "string" &&
      typeof kept.expires === "number" && Array.isArray(kept.hosts);
    return isWhole ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a file atomically, because another server may be reading it. */
async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, file);
}
