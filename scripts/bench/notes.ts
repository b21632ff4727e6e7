const IMPORT =
  "Almost 300 small modules: the runtime finds, reads and links each of them. The same code in one file takes about a " +
  "quarter of the time, of which the import of `node:crypto` is a part of its own on Node.";
const SIGN_IN =
  "No single function stands out: reading the form and the address, checking where the request comes from, making the user's " +
  "record, signing the token and writing the headers take a few percent each, collections of garbage about a tenth.";

/** Where the time goes, by goal: printed beside those that are missed. */
export const NOTES: Readonly<Record<string, string>> = {
  "Node: import of the library": IMPORT,
  "Deno: import of the library": IMPORT,
  "Node: sign-in without a hash, the library over by hand": SIGN_IN,
  "Deno: sign-in without a hash, the library over by hand": SIGN_IN,
  "workerd: sign-in without a hash, the library over by hand": SIGN_IN,
  "workerd: CPU of the library's start over an empty worker's":
    "About half of it is `node:crypto` and `process`, which workerd loads with the first module that asks for them; the rest " +
    "is parsing the code.",
};
