import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Certificate, createCertificate } from "./certificate.ts";
import { isEveryAddress, networkAddresses } from "./host_check.ts";

/** A certificate that is kept, and where the part of it that can be trusted lies. */
export interface KeptCertificate extends Certificate {
  /** Absolute path of the certificate without its key. */
  file: string;
  /** Whether it was made just now: browsers do not know it yet. */
  isNew: boolean;
}

interface Kept extends Certificate {
  hosts: string[];
  expires: number;
}

/** How long before its end a certificate is replaced, in milliseconds. */
const renewal = 30 * 86_400_000;

/**
 * The certificate of this machine's development servers: made once, kept with its key where only the user can read it,
 * and made anew when it is about to end or lacks a host.
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

/** The user's folder for settings of this program. */
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

/** Another server may read it at this moment. */
async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, file);
}
