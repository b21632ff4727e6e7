import { NotEmulatedError } from "../errors.ts";

/** Binding of Hyperdrive with the platform's API: the address of a database, for the application's own driver. */
export interface HyperdriveDouble {
  readonly connectionString: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  connect(): never;
}

const PORTS: Record<string, number> = { "mysql:": 3306 };

/**
 * Creates a binding that names a database which is asked directly, without a pool and a cache in between.
 *
 * @param address Address of the database, as in `localConnectionString`.
 * @see https://developers.cloudflare.com/hyperdrive/
 */
export function createHyperdrive(binding: string, address: string): HyperdriveDouble {
  const { protocol, hostname, port, username, password, pathname } = new URL(address);
  return {
    connectionString: address,
    host: hostname,
    port: Number(port) || (PORTS[protocol] ?? 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    connect() {
      throw new NotEmulatedError(binding, "hyperdrive", "connect()");
    },
  };
}
