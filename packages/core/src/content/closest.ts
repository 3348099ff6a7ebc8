/** Finds the known word that a misspelt one probably means. */

const MAX_DISTANCE = 3;
const MAX_LENGTH = 100;

/**
 * @param most the maximum number of letters that differ
 * @returns null if no known word is close enough
 */
export function closest(word: string, known: Iterable<string>, most = MAX_DISTANCE): string | null {
  if (word.length > MAX_LENGTH) return null;
  let best: string | null = null;
  let least = most + 1;
  for (const each of known) {
    if (Math.abs(each.length - word.length) >= least) continue;
    const steps = distance(word.toLowerCase(), each.toLowerCase());
    if (steps < least) {
      least = steps;
      best = each;
    }
  }
  return best;
}

/** Levenshtein distance: the number of letters to insert, delete or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
