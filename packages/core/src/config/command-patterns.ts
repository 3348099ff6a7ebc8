/** Whether a shell command is one of those that patterns such as `rm *` mean. In doubt it is. */

/** Where one simple command may end and the next begin, also inside `$(…)`, `(…)` and backquotes. */
const BETWEEN = /&&|\|\||[;|&\n\r(){}`]/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z_0-9]*=\S*\s+/;
const BEFORE_A_COMMAND = /^(?:sudo|command|exec|env|nohup|time|nice|builtin|then|do|else|if|while|!)\s+/;
const LONGEST = 100_000;

/** @param command null or too long to look through: nobody knows what it is, so it counts */
export function isMeant(command: string | null, patterns: readonly string[]): boolean {
  if (patterns.length === 0 || command === null || command.length > LONGEST) return true;
  const parts = [command.trim(), ...command.split(BETWEEN).map(withoutPrefixes)];
  return patterns.some((pattern) => parts.some((part) => fits(part, pattern.trim())));
}

function withoutPrefixes(part: string): string {
  let rest = part.trim();
  for (;;) {
    const shorter = rest.replace(ASSIGNMENT, '').replace(BEFORE_A_COMMAND, '').trimStart();
    if (shorter === rest) return rest;
    rest = shorter;
  }
}

/** `npm *` also means `npm` alone. */
function fits(text: string, pattern: string): boolean {
  return matches(text, pattern) || (pattern.endsWith(' *') && matches(text, pattern.slice(0, -2)));
}

/** `*` is any text, `?` one character. Takes no more steps than one length times the other. */
function matches(text: string, pattern: string): boolean {
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
