const LATER =
  "Half of the code are passkeys, second factors, teams, API keys, mails, the account page and the administration, which an " +
  "application names among its providers: without them it would be three fifths of the time. ";
const NAMES =
  "Code without blanks would spare a fifteenth, and no line of a stack trace could be found. No " +
  "`node:crypto` is loaded.";
const NODE_IMPORT =
  "All of the library is 1.2 MB in two files. Three quarters of the time V8 looks " +
  "through its 2,600 functions, of which seventy are compiled, those that run at once; a tenth the modules run, and a twentieth " +
  `Node reads the files. ${LATER}${NAMES}`;
const DENO_IMPORT =
  "All of the library is 1.2 MB in two files with 2,600 functions, and Deno takes as long for them as Node. " +
  LATER + NAMES;
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
  "The check in a scope by hand takes by itself what the goal allows. A whole request allocates no more than that, 2.1 kB beside the " +
  "4.1 kB of the check, half of it the map of `AsyncLocalStorage`. What it takes longer are seven looks at headers, which the " +
  "platform checks character by character: for a handshake, for the host, for what the page itself says to caches, and for " +
  "three headers by which caches would not listen to that.";
const WHOLE_REQUEST_IN_WORKER =
  "The check in a scope by hand takes almost as long. Each look at a header leaves JavaScript for 0.3 µs, the scope and its promise " +
  "take 1.6 µs, and the response 0.8 µs.";
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
  "workerd: token, a whole request over the check": WHOLE_REQUEST_IN_WORKER,
  "Node: SQLite, a whole request over the check": WHOLE_REQUEST,
  "Deno: SQLite, a whole request over the check": WHOLE_REQUEST,
  "workerd: requests with the library's check over an empty worker's": EMPTY_WORKER,
  "Deno: left behind by the library": ALLOCATED,
  "Node: left behind by the library": ALLOCATED,
  "workerd: CPU of the library's start over an empty worker's":
    "Half is that V8 looks through 105 kB of minified code: the same text in one function that nobody calls takes as long. A " +
    "tenth is evaluating it; the rest is compiling the hundred functions that check the configuration and answer the first " +
    "request, once each. No module of Node but `node:async_hooks`, which costs nothing, is loaded: `node:process` would take as " +
    "long as everything else, and `node:crypto` comes with the first password that is hashed.",
  "the minimal worker, compressed":
    "Sentences for whoever made a mistake are 3.5 kB of it and SQL is 1.6 kB: without a word of either it would be 33.4 kB. Of the " +
    "code the storage is a fifth, sessions a sixth, requests and responses an eighth, OAuth as much; no file is more than a twentieth.",
};
