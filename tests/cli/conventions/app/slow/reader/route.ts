import { reader } from "../_reader.ts";

export const GET = (): null => {
  reader.hasFirstPart = true;
  return null;
};
