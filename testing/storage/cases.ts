import type { StorageCase } from "./complete_storage.ts";
import { ACCOUNT_CASES } from "./account_cases.ts";
import { ACTIVITY_CASES, ACTIVITY_RACES } from "./activity_cases.ts";
import { API_KEY_CASES, API_KEY_RACES } from "./api_key_cases.ts";
import { AUDIT_CASES, AUDIT_RACES } from "./audit_cases.ts";
import { TEAM_CASES, TEAM_RACES } from "./team_cases.ts";
import { CLOCK_CASES } from "./clock_cases.ts";
import { DEVICE_BINDING_CASES, DEVICE_BINDING_RACES } from "./device_binding_cases.ts";
import { DIRECTORY_CASES } from "./directory_cases.ts";
import { ENDING_CASES } from "./ending_cases.ts";
import { KEY_CASES } from "./key_cases.ts";
import { KNOWN_BROWSER_CASES, KNOWN_BROWSER_RACES } from "./known_browser_cases.ts";
import { ORDER_CASES } from "./order_cases.ts";
import { OUTBOX_CASES, OUTBOX_RACES } from "./outbox_cases.ts";
import { PASSKEY_CASES, PASSKEY_RACES } from "./passkey_cases.ts";
import { PASSWORD_CASES, PASSWORD_RACES } from "./password_cases.ts";
import { RACE_CASES } from "./race_cases.ts";
import { SEALED_CASES, SEALED_RACES } from "./sealed_cases.ts";
import { SECOND_FACTOR_CASES, SECOND_FACTOR_RACES } from "./second_factor_cases.ts";
import { SECRET_CASES } from "./secret_cases.ts";
import { SESSION_CASES } from "./session_cases.ts";
import { SIGN_IN_CASES } from "./sign_in_cases.ts";
import { SIGN_IN_RACE_CASES } from "./sign_in_race_cases.ts";
import { allCases } from "./suites.ts";
import { USER_CASES } from "./user_cases.ts";
import { WEBHOOK_ENDPOINT_CASES, WEBHOOK_ENDPOINT_RACES } from "./webhook_endpoint_cases.ts";

/** Cases that every storage must pass, whatever it is made of. */
export const STORAGE_CASES: Record<string, StorageCase> = allCases(
  USER_CASES,
  SESSION_CASES,
  SECRET_CASES,
  ACCOUNT_CASES,
  PASSKEY_CASES,
  PASSKEY_RACES,
  ACTIVITY_CASES,
  ACTIVITY_RACES,
  AUDIT_CASES,
  AUDIT_RACES,
  DIRECTORY_CASES,
  API_KEY_CASES,
  API_KEY_RACES,
  KNOWN_BROWSER_CASES,
  KNOWN_BROWSER_RACES,
  ENDING_CASES,
  PASSWORD_CASES,
  PASSWORD_RACES,
  SECOND_FACTOR_CASES,
  SECOND_FACTOR_RACES,
  SEALED_CASES,
  SEALED_RACES,
  DEVICE_BINDING_CASES,
  DEVICE_BINDING_RACES,
  TEAM_CASES,
  TEAM_RACES,
  OUTBOX_CASES,
  OUTBOX_RACES,
  WEBHOOK_ENDPOINT_CASES,
  WEBHOOK_ENDPOINT_RACES,
  SIGN_IN_CASES,
  RACE_CASES,
  SIGN_IN_RACE_CASES,
  CLOCK_CASES,
  ORDER_CASES,
  KEY_CASES,
);
