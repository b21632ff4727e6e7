DROP TABLE revocations;
DROP TABLE rate_limits;
DROP TABLE passkeys;
DROP TABLE verifications;
DROP TABLE sessions;
DROP TABLE accounts;
DROP TABLE users;
DROP TABLE auth_schema;
