/** String search in time linear in the input length, for any input. */

/** Up to this many steps the JavaScript engine's own search is fast enough, and faster on typical text. */
const FEW_STEPS = 2 ** 26;

/**
 * Finds where `pattern` occurs in `text`, from left to right.
 * @param overlapping false: the next occurrence starts after the end of the previous one
 * @param limit the maximum number of occurrences
 */
export function findOccurrences(text: string, pattern: string, overlapping: boolean, limit: number): number[] {
  if (text.length * pattern.length > FEW_STEPS) {
    return findSequenceOccurrences(Buffer.from(text, 'latin1'), Buffer.from(pattern, 'latin1'), overlapping, limit);
  }
  const places: number[] = [];
  const step = overlapping ? 1 : pattern.length;
  for (let at = text.indexOf(pattern); at >= 0 && places.length < limit; at = text.indexOf(pattern, at + step)) {
    places.push(at);
  }
  return places;
}

/** The same for numbers (Knuth, Morris and Pratt). Reads each number at most twice. */
export function findSequenceOccurrences(
  text: ArrayLike<number>,
  pattern: ArrayLike<number>,
  overlapping: boolean,
  limit: number,
  from = 0,
): number[] {
  const places: number[] = [];
  const { length } = pattern;
  if (length === 0 || length > text.length - from) return places;
  const borders = bordersOf(pattern);
  for (let at = from, matched = 0; at < text.length && places.length < limit; at++) {
    while (matched > 0 && text[at] !== pattern[matched]) matched = borders[matched - 1]!;
    if (text[at] === pattern[matched]) matched++;
    if (matched === length) {
      places.push(at + 1 - length);
      matched = overlapping ? borders[matched - 1]! : 0;
    }
  }
  return places;
}

/** For each prefix of the pattern, the length of its longest proper prefix that is also a suffix of it. */
function bordersOf(pattern: ArrayLike<number>): Int32Array {
  const borders = new Int32Array(pattern.length);
  for (let at = 1, length = 0; at < pattern.length; at++) {
    while (length > 0 && pattern[at] !== pattern[length]) length = borders[length - 1]!;
    if (pattern[at] === pattern[length]) length++;
    borders[at] = length;
  }
  return borders;
}
