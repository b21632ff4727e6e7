// Written by `deno task templates`: the tables of `mariadbSchema` of @framework/auth/mariadb.

/** SQL that makes the tables in an empty MariaDB database. */
export const mariadbTables: string =
  `-- Tables of @framework/auth. Times are integer milliseconds since 1970.

CREATE TABLE IF NOT EXISTS auth_schema (
  \`version\` BIGINT PRIMARY KEY NOT NULL,
  \`compatible\` BIGINT NOT NULL DEFAULT 1,
  \`key\` MEDIUMTEXT
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS users (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`email\` MEDIUMTEXT,
  \`email_identity\` VARCHAR(255) UNIQUE,
  \`name\` MEDIUMTEXT,
  \`image\` MEDIUMTEXT,
  \`email_verified\` BIGINT,
  \`role\` MEDIUMTEXT,
  \`roles\` MEDIUMTEXT NOT NULL DEFAULT '[]',
  \`disabled_at\` BIGINT,
  \`credentials_after\` BIGINT,
  \`created_at\` BIGINT NOT NULL DEFAULT (CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)),
  \`updated_at\` BIGINT NOT NULL DEFAULT (CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)),
  name_folded VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin AS (REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(LEFT(name, 256), 'A', 'a'), 'B', 'b'), 'C', 'c'), 'D', 'd'), 'E', 'e'), 'F', 'f'), 'G', 'g'), 'H', 'h'), 'I', 'i'), 'J', 'j'), 'K', 'k'), 'L', 'l'), 'M', 'm'), 'N', 'n'), 'O', 'o'), 'P', 'p'), 'Q', 'q'), 'R', 'r'), 'S', 's'), 'T', 't'), 'U', 'u'), 'V', 'v'), 'W', 'w'), 'X', 'x'), 'Y', 'y'), 'Z', 'z')) VIRTUAL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, id);

CREATE TABLE IF NOT EXISTS user_roles (
  \`role\` VARCHAR(255) NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (role, user_id)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS user_roles_by_user ON user_roles (user_id);
CREATE INDEX IF NOT EXISTS users_by_name ON users (name_folded, id);
CREATE TRIGGER IF NOT EXISTS user_roles_of_new AFTER INSERT ON users FOR EACH ROW INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id FROM DUAL WHERE NEW.role IS NOT NULL UNION SELECT listed.role, NEW.id FROM JSON_TABLE(IF(JSON_VALID(NEW.roles), NEW.roles, '[]'), '\$[*]' COLUMNS (role VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '\$')) AS listed WHERE listed.role IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS user_roles_of_known AFTER UPDATE ON users FOR EACH ROW IF NOT (OLD.role <=> NEW.role AND OLD.roles <=> NEW.roles) THEN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id FROM DUAL WHERE NEW.role IS NOT NULL UNION SELECT listed.role, NEW.id FROM JSON_TABLE(IF(JSON_VALID(NEW.roles), NEW.roles, '[]'), '\$[*]' COLUMNS (role VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '\$')) AS listed WHERE listed.role IS NOT NULL; END IF;

CREATE TABLE IF NOT EXISTS accounts (
  \`provider\` VARCHAR(255) NOT NULL,
  \`provider_account_id\` VARCHAR(255) NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`type\` MEDIUMTEXT NOT NULL,
  \`access_token\` MEDIUMTEXT,
  \`refresh_token\` MEDIUMTEXT,
  \`expires_at\` BIGINT,
  \`token_type\` MEDIUMTEXT,
  \`scope\` MEDIUMTEXT,
  \`created_at\` BIGINT NOT NULL,
  \`updated_at\` BIGINT NOT NULL,
  \`email\` MEDIUMTEXT,
  PRIMARY KEY (provider, provider_account_id)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS accounts_by_user ON accounts (user_id);

CREATE TABLE IF NOT EXISTS sessions (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`token_hash\` VARCHAR(255) NOT NULL UNIQUE,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`tenant_id\` MEDIUMTEXT,
  \`user_agent\` MEDIUMTEXT,
  \`created_at\` BIGINT NOT NULL,
  \`authenticated_at\` BIGINT NOT NULL,
  \`refreshed_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL,
  \`device\` MEDIUMTEXT
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS sessions_by_user ON sessions (user_id);
CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (expires_at);

CREATE TABLE IF NOT EXISTS verifications (
  \`purpose\` VARCHAR(255) NOT NULL,
  \`hash\` VARCHAR(255) NOT NULL,
  \`identifier\` VARCHAR(255),
  \`user_id\` VARCHAR(255) REFERENCES users (id) ON DELETE CASCADE,
  \`payload\` MEDIUMTEXT,
  \`attempts\` BIGINT NOT NULL DEFAULT 0,
  \`created_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL,
  \`sent_to\` MEDIUMTEXT,
  \`session_id\` MEDIUMTEXT,
  PRIMARY KEY (purpose, hash)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS verifications_by_identifier ON verifications (purpose, identifier);
CREATE INDEX IF NOT EXISTS verifications_by_user ON verifications (user_id);
CREATE INDEX IF NOT EXISTS verifications_by_end ON verifications (expires_at);

CREATE TABLE IF NOT EXISTS passkeys (
  \`id\` VARCHAR(768) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`user_handle\` MEDIUMTEXT NOT NULL,
  \`public_key\` MEDIUMTEXT NOT NULL,
  \`counter\` BIGINT NOT NULL,
  \`transports\` MEDIUMTEXT NOT NULL DEFAULT '[]',
  \`device_type\` MEDIUMTEXT NOT NULL,
  \`backed_up\` BIGINT NOT NULL,
  \`name\` MEDIUMTEXT,
  \`created_at\` BIGINT NOT NULL,
  \`last_used_at\` BIGINT
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS passkeys_by_user ON passkeys (user_id);

CREATE TABLE IF NOT EXISTS known_browsers (
  \`id_hash\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`created_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX IF NOT EXISTS known_browsers_by_end ON known_browsers (expires_at);

CREATE TABLE IF NOT EXISTS password_hashes (
  \`user_id\` VARCHAR(255) PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`hash\` MEDIUMTEXT NOT NULL,
  \`changed_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS pending_sign_ups (
  \`token_hash\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`email_identity\` VARCHAR(255) NOT NULL,
  \`email\` MEDIUMTEXT NOT NULL,
  \`name\` MEDIUMTEXT,
  \`password_hash\` MEDIUMTEXT NOT NULL,
  \`browser_hash\` VARCHAR(255) NOT NULL,
  \`callback_url\` MEDIUMTEXT,
  \`created_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS pending_sign_ups_by_identity ON pending_sign_ups (email_identity);
CREATE INDEX IF NOT EXISTS pending_sign_ups_by_browser ON pending_sign_ups (browser_hash);
CREATE INDEX IF NOT EXISTS pending_sign_ups_by_end ON pending_sign_ups (expires_at);

CREATE TABLE IF NOT EXISTS second_factors (
  \`user_id\` VARCHAR(255) PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`secret\` MEDIUMTEXT NOT NULL,
  \`last_step\` BIGINT NOT NULL,
  \`tries\` BIGINT NOT NULL DEFAULT 0,
  \`tries_since\` BIGINT NOT NULL DEFAULT 0,
  \`created_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS recovery_codes (
  \`hash\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`created_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS recovery_codes_by_user ON recovery_codes (user_id);

CREATE TABLE IF NOT EXISTS trusted_browsers (
  \`id_hash\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`user_agent\` MEDIUMTEXT,
  \`created_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS trusted_browsers_by_user ON trusted_browsers (user_id);
CREATE INDEX IF NOT EXISTS trusted_browsers_by_end ON trusted_browsers (expires_at);

CREATE TABLE IF NOT EXISTS session_factors (
  \`session_id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`method\` MEDIUMTEXT NOT NULL,
  \`at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS session_factors_by_user ON session_factors (user_id);
CREATE INDEX IF NOT EXISTS session_factors_by_end ON session_factors (expires_at);

CREATE TABLE IF NOT EXISTS api_keys (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) REFERENCES users (id) ON DELETE CASCADE,
  \`tenant_id\` VARCHAR(255),
  \`name\` MEDIUMTEXT NOT NULL,
  \`hash\` MEDIUMTEXT NOT NULL,
  \`previous_hash\` MEDIUMTEXT,
  \`previous_until\` BIGINT,
  \`permissions\` MEDIUMTEXT NOT NULL DEFAULT '[]',
  \`limit_count\` BIGINT,
  \`limit_window\` BIGINT,
  \`created_by\` VARCHAR(255) REFERENCES users (id) ON DELETE SET NULL,
  \`created_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT,
  \`last_used_at\` BIGINT
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS api_keys_by_user ON api_keys (user_id, created_at);
CREATE INDEX IF NOT EXISTS api_keys_by_tenant ON api_keys (tenant_id, created_at);
CREATE INDEX IF NOT EXISTS api_keys_by_maker ON api_keys (created_by);

CREATE TABLE IF NOT EXISTS account_activity (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`type\` MEDIUMTEXT NOT NULL,
  \`provider\` MEDIUMTEXT,
  \`device\` MEDIUMTEXT,
  \`network\` MEDIUMTEXT,
  \`tenant_id\` MEDIUMTEXT,
  \`at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS account_activity_by_user ON account_activity (user_id, at);
CREATE INDEX IF NOT EXISTS account_activity_by_time ON account_activity (at);

CREATE TABLE IF NOT EXISTS audit_entries (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`at\` BIGINT NOT NULL,
  \`type\` VARCHAR(255) NOT NULL,
  \`user_id\` VARCHAR(255),
  \`actor_id\` VARCHAR(255),
  \`text\` MEDIUMTEXT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS audit_entries_by_user ON audit_entries (user_id, id);
CREATE INDEX IF NOT EXISTS audit_entries_by_actor ON audit_entries (actor_id, id);
CREATE INDEX IF NOT EXISTS audit_entries_by_type ON audit_entries (type, id);

CREATE TABLE IF NOT EXISTS audit_people (
  \`entry_id\` VARCHAR(255) NOT NULL REFERENCES audit_entries (id) ON DELETE CASCADE,
  \`part\` VARCHAR(255) NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`salt\` MEDIUMTEXT NOT NULL,
  \`text\` MEDIUMTEXT NOT NULL,
  PRIMARY KEY (entry_id, part)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS audit_people_by_user ON audit_people (user_id);

CREATE TABLE IF NOT EXISTS audit_seals (
  \`hour\` BIGINT PRIMARY KEY NOT NULL,
  \`count\` BIGINT NOT NULL,
  \`entries\` MEDIUMTEXT NOT NULL,
  \`previous\` MEDIUMTEXT NOT NULL,
  \`digest\` MEDIUMTEXT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS rate_limits (
  \`key\` VARCHAR(512) PRIMARY KEY NOT NULL,
  \`hits\` MEDIUMTEXT NOT NULL,
  \`expires_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS rate_limits_by_end ON rate_limits (expires_at);

CREATE TABLE IF NOT EXISTS revocations (
  \`kind\` VARCHAR(255) NOT NULL,
  \`id\` VARCHAR(255) NOT NULL,
  \`revoked_at\` BIGINT NOT NULL,
  \`spared_id\` MEDIUMTEXT,
  \`expires_at\` BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS revocations_by_end ON revocations (expires_at);

CREATE TABLE IF NOT EXISTS tenants (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`slug\` VARCHAR(255) NOT NULL UNIQUE,
  \`name\` MEDIUMTEXT NOT NULL,
  \`settings\` MEDIUMTEXT NOT NULL DEFAULT '{}',
  \`suspended_at\` BIGINT,
  \`created_at\` BIGINT NOT NULL,
  \`updated_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS tenant_members (
  \`tenant_id\` VARCHAR(255) NOT NULL,
  \`user_id\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`roles\` MEDIUMTEXT NOT NULL DEFAULT '[]',
  \`created_at\` BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS tenant_members_by_user ON tenant_members (user_id);

CREATE TABLE IF NOT EXISTS tenant_invitations (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`tenant_id\` VARCHAR(255) NOT NULL,
  \`email_identity\` VARCHAR(255) NOT NULL,
  \`email\` MEDIUMTEXT NOT NULL,
  \`hash\` VARCHAR(255) NOT NULL UNIQUE,
  \`roles\` MEDIUMTEXT NOT NULL DEFAULT '[]',
  \`invited_by\` VARCHAR(255) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  \`created_at\` BIGINT NOT NULL,
  \`expires_at\` BIGINT NOT NULL,
  UNIQUE (tenant_id, email_identity)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS tenant_invitations_by_inviter ON tenant_invitations (invited_by);
CREATE INDEX IF NOT EXISTS tenant_invitations_by_end ON tenant_invitations (expires_at);

CREATE TABLE IF NOT EXISTS auth_outbox (
  \`id\` VARCHAR(255) NOT NULL,
  \`destination\` VARCHAR(255) NOT NULL,
  \`type\` MEDIUMTEXT NOT NULL,
  \`text\` MEDIUMTEXT NOT NULL,
  \`at\` BIGINT NOT NULL,
  \`tries\` BIGINT NOT NULL DEFAULT 0,
  \`due_at\` BIGINT,
  \`lease\` MEDIUMTEXT,
  \`failure\` MEDIUMTEXT,
  PRIMARY KEY (id, destination)
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS auth_outbox_by_due ON auth_outbox (due_at);

CREATE TABLE IF NOT EXISTS webhook_endpoints (
  \`id\` VARCHAR(255) PRIMARY KEY NOT NULL,
  \`tenant_id\` VARCHAR(255) NOT NULL,
  \`url\` MEDIUMTEXT NOT NULL,
  \`events\` MEDIUMTEXT NOT NULL DEFAULT '[]',
  \`secret\` MEDIUMTEXT NOT NULL,
  \`previous_secret\` MEDIUMTEXT,
  \`previous_until\` BIGINT,
  \`created_at\` BIGINT NOT NULL
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS webhook_endpoints_by_tenant ON webhook_endpoints (tenant_id, created_at);

INSERT INTO auth_schema (version, compatible, \`key\`)
VALUES (6, 1, LOWER(HEX(RANDOM_BYTES(32))));
`;
