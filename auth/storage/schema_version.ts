/** Version of the tables that this library makes, and the oldest that it works with. */
export const SCHEMA_VERSION = 2;

/** Oldest version whose library may use the tables that this one makes: each step of them only adds. */
export const COMPATIBLE_VERSION = 1;

/** The row of `auth_schema`. Tables of version 1 have only its first column. */
export interface SchemaMarker {
  /** Version of the tables. */
  version: number;
  /** Oldest version whose library may use them. */
  compatible?: number;
  /** Random text, for keys of an application that has no `secret`. */
  key?: string | null;
}

/** Reads the marker; a list of columns would be an error where one of them is missing. */
export const SELECT_MARKER = "SELECT * FROM auth_schema";

/** Says why the library cannot use tables with this marker, and what to do; null when it can. */
export function misfitOf({ version, compatible = version }: SchemaMarker): string | null {
  const older = version < SCHEMA_VERSION;
  return older || compatible > SCHEMA_VERSION
    ? `The tables have version ${version}, for libraries from version ${compatible} on; this library has ` +
      `version ${SCHEMA_VERSION}: ${
        older ? "call upgradeTables(database)" : "install a newer @framework/auth"
      }`
    : null;
}
