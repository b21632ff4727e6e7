/**
 * Finds the candidate that a mistyped word most likely meant.
 *
 * The distance counts swapped neighbours as one step, because that is the most frequent typing error.
 * Tolerance is 1 for words up to four letters, else 2. An unambiguous beginning is accepted too. When two
 * candidates are equally near there is no suggestion: a wrong guess is worse than none.
 *
 * @param word What was typed.
 * @param candidates What exists.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  const names = [...candidates];
  // Nobody means a short known word by a very long one, and the distance takes quadratic time.
  if (typed === "" || typed.length > 64) return undefined;

  if (typed.length > 1) {
    const beginning = names.filter((name) => name.toLowerCase().startsWith(typed));
    if (beginning.length === 1) return beginning[0];
  }
  const tolerance = typed.length <= 4 ? 1 : 2;
  let best: string | undefined;
  let bestDistance = tolerance + 1;
  let tie = false;
  for (const name of names) {
    const distance = editDistance(typed, name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
      tie = false;
    } else if (distance === bestDistance) {
      tie = true;
    }
  }
  return tie || bestDistance > tolerance ? undefined : best;
}

/** Returns the sentence ` Did you mean "x"?`, or an empty text when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = suggest(word, candidates);
  return found === undefined ? "" : ` Did you mean "${found}"?`;
}

/** Computes the Damerau-Levenshtein distance (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
