import { postgresSchema } from "@framework/auth/postgres";

const own = [...postgresSchema.up.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)]
  .map(([, name]) => `'${name}'`);

/**
 * Text that leaves the library's tables empty, and drops every other one. To make the tables anew for each case takes
 * the server ten times as long.
 */
export const EMPTY_POSTGRES: string = `DO $$ DECLARE name TEXT; BEGIN
  FOR name IN SELECT tablename FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN (${own.join(", ")})
  LOOP EXECUTE format('DROP TABLE %I CASCADE', name); END LOOP;
  DELETE FROM users; DELETE FROM tenants;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'auth_schema'
  LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
END $$`;
