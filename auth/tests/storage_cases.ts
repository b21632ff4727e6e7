import type { Storage } from "../storage/storage.ts";
import { RACE_CASES } from "./storage_race_cases.ts";
import { SESSION_CASES } from "./storage_session_cases.ts";
import { USER_CASES } from "./storage_user_cases.ts";

/** Checks one behaviour of an empty storage. */
export type StorageCase = (storage: Storage) => Promise<void>;

/** What every storage does, whatever it is made of. */
export const STORAGE_CASES: Record<string, StorageCase> = {
  ...USER_CASES,
  ...SESSION_CASES,
  ...RACE_CASES,
};
