/** Finding something in time that grows with the lengths alone, whatever stands there. */

/** Up to this many steps the engine's own search is as good, and faster in everyday texts. */
const FEW_STEPS = 2 ** 26;

/**
 * Where `pattern` stands in `text`, from left to right.
 * @param overlapping false: the next place begins behind the one before
 * @param limit at most so many places
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

/** The same for numbers (Knuth, Morris and Pratt): each is looked at twice at most. */
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

/** For each start of the pattern, the length of the longest shorter start that it also ends with. */
function bordersOf(pattern: ArrayLike<number>): Int32Array {
  const borders = new Int32Array(pattern.length);
  for (let at = 1, length = 0; at < pattern.length; at++) {
    while (length > 0 && pattern[at] !== pattern[length]) length = borders[length - 1]!;
    if (pattern[at] === pattern[length]) length++;
    borders[at] = length;
  }
  return borders;
}
