/** Matches shell commands against patterns such as `rm *`. In doubt, a command matches. */

import { matchesGlob } from '../content/glob.ts';

/** Separators between simple commands, including those inside `$(…)`, `(…)` and backquotes. */
const COMMAND_SEPARATOR = /&&|\|\||[;|&\n\r(){}`]/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z_0-9]*=\S*\s+/;
const COMMAND_PREFIX = /^(?:sudo|command|exec|env|nohup|time|nice|builtin|then|do|else|if|while|!)\s+/;
const MAX_LENGTH = 100_000;

/** @param command if null or too long to check, its content is unknown and it matches */
export function matchesAnyPattern(command: string | null, patterns: readonly string[]): boolean {
  if (patterns.length === 0 || command === null || command.length > MAX_LENGTH) return true;
  const parts = [command.trim(), ...command.split(COMMAND_SEPARATOR).map(withoutPrefixes)];
  return patterns.some((pattern) => parts.some((part) => matchesCommand(part, pattern.trim())));
}

function withoutPrefixes(part: string): string {
  let rest = part.trim();
  for (;;) {
    const shorter = rest.replace(ASSIGNMENT, '').replace(COMMAND_PREFIX, '').trimStart();
    if (shorter === rest) return rest;
    rest = shorter;
  }
}

/** `npm *` also matches plain `npm`. */
function matchesCommand(text: string, pattern: string): boolean {
  return matchesGlob(text, pattern) || (pattern.endsWith(' *') && matchesGlob(text, pattern.slice(0, -2)));
}
