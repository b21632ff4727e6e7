const LATER =
  "Passkeys, the account page, sign-in by email and ID tokens are a quarter of the code; to load it with its first use would spare ";
const NAMES = "Shorter names would spare a fifteenth, and nobody could read a stack trace. No " +
  "`node:crypto` is loaded; each module by itself, as JSR has them, takes ";
const NODE_IMPORT =
  "All of the library is 350 kB in two files. More than half of the time V8 looks " +
  "through its 1,100 functions, none of which is compiled before it is called; a seventh the modules run, a seventh Node " +
  `finds and reads the files, and once the collector makes room. ${LATER}an eighth. ${NAMES}six times as long.`;
const DENO_IMPORT = "Deno keeps the compiled code of the library's two files: most of " +
  "the time is to take up 1,100 functions from there, to run the modules, and to collect garbage once. " +
  `${LATER}a fifth. ${NAMES}almost three times as long.`;
const SIGN_IN =
  "No single function stands out: reading the form and the address, checking where the request comes from, making the user's " +
  "record, signing the token and writing the headers take a few percent each, collections of garbage about a tenth.";

const D1 =
  "The one query is almost all of it, on both sides. To hash the token, which the other side has done before, is two fifths of " +
  "the difference, to find it in the cookie and the steps between as much; the seven columns more and the user that is made " +
  "of them are the rest. All that takes five microseconds over and over, and ten times that after what the query runs.";
const WORKER_SIGN_IN =
  "A sixth is collections of garbage: the request's scope, the user's record and some twenty promises are more objects than one " +
  "function makes by hand. The rest is spread over reading the form and its address, the token and the headers.";
const WHOLE_REQUEST =
  "What is more than the check is a response: by a profile on Node it and its headers, whose values the platform checks " +
  "character by character, are a seventh, the scope in which everything that the page calls finds the request a fifteenth, " +
  "and the collection of all of it a fifth.";
const EMPTY_WORKER =
  "The same work by hand takes as long: an empty worker reads no header and verifies nothing.";
const ALLOCATED =
  "What is kept of one request until the next collection; it does not grow, see the soak.";

/** Explanations of the goals, printed beside those that are missed. */
export const NOTES: Readonly<Record<string, string>> = {
  "Node: import of the library": NODE_IMPORT,
  "Deno: import of the library over a package with nothing in it": DENO_IMPORT,
  "Node: sign-in without a hash, the library over by hand": SIGN_IN,
  "Deno: sign-in without a hash, the library over by hand": SIGN_IN,
  "workerd: sign-in without a hash, the library over by hand": WORKER_SIGN_IN,
  "workerd: D1, the library over the join alone": D1,
  "Node: token, a whole request over the check": WHOLE_REQUEST,
  "Deno: token, a whole request over the check": WHOLE_REQUEST,
  "workerd: token, a whole request over the check": WHOLE_REQUEST,
  "Node: SQLite, a whole request over the check": WHOLE_REQUEST,
  "Deno: SQLite, a whole request over the check": WHOLE_REQUEST,
  "workerd: requests with the library's check over an empty worker's": EMPTY_WORKER,
  "Deno: left behind by the library": ALLOCATED,
  "Node: left behind by the library": ALLOCATED,
  "workerd: CPU of the library's start over an empty worker's":
    "About half is that V8 looks through 82 kB of minified code: the same text in one function that nobody calls takes as " +
    "long. A seventh is evaluating it; the rest is compiling the hundred functions that check the configuration and answer the " +
    "first request, once each. No module of Node but `node:async_hooks`, which costs nothing, is loaded; `node:crypto` comes with " +
    "the first password that is hashed.",
};
