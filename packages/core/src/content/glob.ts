/** `*` matches any text, `?` one character. The number of steps is at most the product of the two lengths. */
export function matchesGlob(text: string, pattern: string): boolean {
  let at = 0;
  let of = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    if (of < pattern.length && pattern[of] === '*') {
      star = of++;
      retry = at;
    } else if (of < pattern.length && (pattern[of] === '?' || pattern[of] === text[at])) {
      at++;
      of++;
    } else if (star >= 0) {
      of = star + 1;
      at = ++retry;
    } else return false;
  }
  while (pattern[of] === '*') of++;
  return of === pattern.length;
}
