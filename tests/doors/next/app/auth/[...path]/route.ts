import { accounts } from "../../../auth";

export const { GET, POST, PATCH, DELETE } = accounts.handlers;
