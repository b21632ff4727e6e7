import type { CompleteStorage } from "./complete_storage.ts";
import { ACCOUNT_CASES } from "./storage_account_cases.ts";
import { ACTIVITY_CASES } from "./storage_activity_cases.ts";
import { API_KEY_CASES } from "./storage_api_key_cases.ts";
import { AUDIT_CASES } from "./storage_audit_cases.ts";
import { TEAM_CASES } from "./storage_team_cases.ts";
import { DEVICE_BINDING_CASES } from "./storage_device_binding_cases.ts";
import { DIRECTORY_CASES } from "./storage_directory_cases.ts";
import { ENDING_CASES } from "./storage_ending_cases.ts";
import { KNOWN_BROWSER_CASES } from "./storage_known_browser_cases.ts";
import { PASSKEY_CASES } from "./storage_passkey_cases.ts";
import { PASSWORD_CASES } from "./storage_password_cases.ts";
import { RACE_CASES } from "./storage_race_cases.ts";
import { SECOND_FACTOR_CASES } from "./storage_second_factor_cases.ts";
import { SECRET_CASES } from "./storage_secret_cases.ts";
import { SESSION_CASES } from "./storage_session_cases.ts";
import { SIGN_IN_CASES } from "./storage_sign_in_cases.ts";
import { SIGN_IN_RACE_CASES } from "./storage_sign_in_race_cases.ts";
import { USER_CASES } from "./storage_user_cases.ts";

/** Checks one behaviour of an empty storage. */
export type StorageCase = (storage: CompleteStorage) => Promise<void>;

/** Cases that every storage must pass, whatever it is made of. */
export const STORAGE_CASES: Record<string, StorageCase> = {
  ...USER_CASES,
  ...SESSION_CASES,
  ...SECRET_CASES,
  ...ACCOUNT_CASES,
  ...PASSKEY_CASES,
  ...ACTIVITY_CASES,
  ...AUDIT_CASES,
  ...DIRECTORY_CASES,
  ...API_KEY_CASES,
  ...KNOWN_BROWSER_CASES,
  ...ENDING_CASES,
  ...PASSWORD_CASES,
  ...SECOND_FACTOR_CASES,
  ...DEVICE_BINDING_CASES,
  ...TEAM_CASES,
  ...SIGN_IN_CASES,
  ...RACE_CASES,
  ...SIGN_IN_RACE_CASES,
};
