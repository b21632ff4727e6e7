import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { bitString, der, objectId, positiveInteger, sequence, utcTime, utf8String } from "./der.ts";

/** A certificate with its key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

const DAY = 86_400_000;

/** What browsers accept at most of a certificate that nobody vouches for. */
const validDays = 397;

const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"));

/**
 * Makes a certificate that signs itself, for a key of its own (RFC 5280; ECDSA with P-256).
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
    // A clock that is a little behind must not find it too young.
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
    // It can vouch for no other certificate, should somebody trust it.
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
