/**
 * Passwords that are guessed first: common words, sequences, repetitions, and words of the context.
 *
 * @module
 */

/**
 * Words of which the passwords at the top of published lists are made, as `readable()` gives them. Each entry of such a
 * list is one of them with digits, a season with a year, a row of keys or a repetition; so a list of whole passwords of
 * 15 characters would be long and would still miss most.
 */
const WORDS = /* @__PURE__ */
  `password passwort passord motdepasse contrasena senha parola wachtwoord letmein welcome willkommen bienvenue
bienvenido iloveyou loveyou teamo jetaime changeme default secret geheim access login admin administrator superuser
guest temporary trustno sunshine princess football baseball basketball soccer hockey superman batman spiderman starwars
pokemon dragon monkey master shadow michael jennifer jessica jordan michelle charlie andrew daniel thomas hunter ashley
bailey matthew joshua robert nicole samantha amanda freedom whatever summer winter spring autumn sommer january
february march april august september october november december monday tuesday wednesday thursday friday saturday
sunday hello hallo bonjour internet computer server database google facebook microsoft apple samsung linux windows
cheese cookie chocolate banana orange purple yellow silver golden diamond flower butterfly angel lovely family friend
forever mother father money ginger pepper buster tigger killer ranger yankees chelsea liverpool arsenal barcelona
realmadrid juventus mustang ferrari mercedes porsche harley london paris berlin matrix merlin phoenix eagle tiger
thunder jesus christ blessed heaven nothing something correcthorsebatterystaple thequickbrownfox tobeornottobe
maytheforcebewithyou onceuponatime`.split(/\s+/);

/** Rows of keys, of American, German and French keyboards, in both directions where they are read. */
const ROWS =
  /* @__PURE__ */ "1234567890 qwertyuiop qwertzuiop azertyuiop asdfghjkl qsdfghjklm zxcvbnm yxcvbnm wxcvbn 1qaz2wsx3edc4rfv5tgb6yhn7ujm qazwsxedcrfvtgbyhnujm 1q2w3e4r5t6y7u8i9o0p"
    .split(" ");

const SUBSTITUTES: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  "$": "s",
  "!": "i",
};

/** So many different characters beside what is guessed first are left of a password that is none of the common ones. */
const LEAST = 5;
/** Shorter ones are parts of too many words, or of numbers. */
const SHORTEST_WORD = 3;
/** Length from which on a row, a sequence or a repetition is one. */
const RUN = 4;
/** Characters of the longest password that can be hashed. */
const LONGEST = 1024;

/** The characters that matter, in lower case. */
function readable(text: string): string[] {
  return [...text.normalize("NFKC").toLowerCase().replace(/[\s._\-']+/gu, "")].slice(0, LONGEST);
}

/** The characters as they are compared: a substitute is the letter that it stands for. */
function withLetters(characters: readonly string[]): string[] {
  return characters.map((character) => SUBSTITUTES[character] ?? character);
}

let common: Map<string, string[][]> | undefined;

/** The common words by their first character; made at the first look, and not when a worker starts. */
function commonWords(): Map<string, string[][]> {
  if (common !== undefined) return common;
  common = new Map();
  for (const word of WORDS.map((one) => withLetters([...one]))) {
    common.set(word[0]!, [...common.get(word[0]!) ?? [], word]);
  }
  return common;
}

/** Marks where words stand, as often as they do. */
function cover(covered: boolean[], characters: readonly string[], own: readonly string[][]): void {
  for (const [at, first] of characters.entries()) {
    for (const word of [...commonWords().get(first) ?? [], ...own]) {
      if (word.every((character, index) => characters[at + index] === character)) {
        covered.fill(true, at, at + word.length);
      }
    }
  }
}

/** Distance from one character to the next: 0 and ±1 go on in a sequence, or in a row of keys. */
function isRun(part: readonly string[]): boolean {
  const steps = part.slice(1).map((one, index) =>
    one.codePointAt(0)! - part[index]!.codePointAt(0)!
  );
  if (Math.abs(steps[0]!) <= 1 && steps.every((step) => step === steps[0])) return true;
  const text = part.join("");
  const backwards = part.toReversed().join("");
  return ROWS.some((row) => row.includes(text) || row.includes(backwards));
}

/**
 * Tells whether a password is one that is guessed first: when hardly anything is left of it without common words, words
 * of its context, rows of keys, sequences, years, and what it repeats (NIST SP 800-63B-4, 3.1.1.2).
 *
 * @param context Words such as the name of the service and of the user; their parts of three characters or more count.
 */
export function isCommonPassword(password: string, context: readonly string[] = []): boolean {
  const typed = readable(password);
  const covered = typed.map(() => false);
  const own = context.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).map(readable)
    .filter(({ length }) => length >= SHORTEST_WORD);
  cover(covered, withLetters(typed), own.map(withLetters));
  const seen = new Set<string>();
  for (let at = 0; at + RUN <= typed.length; at++) {
    const part = typed.slice(at, at + RUN);
    const text = part.join("");
    if (seen.has(text) || isRun(part) || /^(?:19|20)\d\d$/.test(text)) {
      covered.fill(true, at, at + RUN);
    }
    seen.add(text);
  }
  return new Set(typed.filter((_, index) => !covered[index])).size < LEAST;
}
