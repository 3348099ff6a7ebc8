/**
 * Converts the text of an ignore file into patterns that are safe to pass to the `ignore` package.
 *
 * Patterns that cannot be used are dropped and reported. When in doubt, capture more:
 * - A dropped pattern ignores nothing.
 * - A re-inclusion (`!…`) that is dropped, or may be in the unread part, becomes `!*`. It re-includes everything that
 *   earlier lines and the files above ignore.
 *
 * Patterns and names are one-byte strings, so that bytes match bytes, as in git.
 */

export interface RuleProblem {
  /** From 1. Null if the problem concerns the whole file. */
  readonly line: number | null;
  readonly why: 'too-large' | 'too-many' | 'too-long' | 'too-complex' | 'too-deep';
  readonly detail: string;
}

export interface IgnoreLines {
  /** In the file's order, without comments, blank lines and line endings. */
  readonly patterns: readonly string[];
  /** Number of patterns that are slow to match. */
  readonly slow: number;
  readonly problems: readonly RuleProblem[];
}

/** Number of patterns that may still be added. */
export interface PatternBudget {
  readonly patterns: number;
  readonly slow: number;
}

/** Bytes. */
export const IGNORE_FILE_BYTES = 1024 * 1024;
const MAX_FILE_PATTERNS = 10_000;
const MAX_PATTERN_BYTES = 1024;
const MAX_PROBLEMS = 20;
const REINCLUDE_ALL = '!*';

/** @param bytes the whole file; a file larger than {@link IGNORE_FILE_BYTES} is not used */
export function readIgnoreLines(bytes: Uint8Array, budget: PatternBudget): IgnoreLines {
  if (bytes.length > IGNORE_FILE_BYTES) {
    const detail = `${bytes.length} bytes; the limit is ${IGNORE_FILE_BYTES}, so the file is not used`;
    return { patterns: [REINCLUDE_ALL], slow: 0, problems: [{ line: null, why: 'too-large', detail }] };
  }
  const patterns: string[] = [];
  const problems: RuleProblem[] = [];
  const maxPatterns = Math.min(budget.patterns, MAX_FILE_PATTERNS);
  const lines = splitLines(bytes);
  let slow = 0;
  for (let at = 0; at < lines.length; at++) {
    const line = patternOf(lines[at]!);
    if (line === null) continue;
    if (patterns.length >= maxPatterns) {
      problems.push({
        line: at + 1,
        why: 'too-many',
        detail: `more than ${maxPatterns} patterns; this one and all later ones are not used`,
      });
      if (lines.slice(at).some((later) => later.startsWith('!'))) patterns.push(REINCLUDE_ALL);
      break;
    }
    const pattern = simplifyPattern(line);
    const problem = patternProblem(line, pattern, slow < budget.slow);
    if (problem === null) {
      patterns.push(pattern.text);
      if (pattern.choices === MAX_CHOICES) slow += 1;
      continue;
    }
    if (problems.length < MAX_PROBLEMS) problems.push({ line: at + 1, ...problem });
    if (line.startsWith('!')) patterns.push(REINCLUDE_ALL);
  }
  return { patterns, slow, problems };
}

/** Splits at LF or CR LF, and drops a leading byte order mark. */
function splitLines(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const lines = (text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text).split('\n');
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/**
 * Parses a line as git does: ends it at a NUL, skips comments, and drops trailing spaces unless escaped by a backslash.
 */
function patternOf(line: string): string | null {
  if (line === '' || line.startsWith('#')) return null;
  const nul = line.indexOf('\0');
  const text = withoutSpaces(nul < 0 ? line : line.slice(0, nul));
  return text === '' || text === '!' ? null : text;
}

function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

interface SimplePattern {
  readonly text: string;
  /**
   * The package compiles each pattern to a regular expression. Most wildcards match in only one way. Some cause
   * backtracking: a `**` followed by more, and every `*` if a bracket expression could match `/`. Each of them raises
   * the matching time by another power of the path's length.
   */
  readonly choices: number;
}

/** Acceptable on the longest path if there are few such patterns. Real patterns need fewer. */
const MAX_CHOICES = 2;

/** Returns an equivalent pattern in which redundant `*` and `**` are merged into one. */
function simplifyPattern(pattern: string): SimplePattern {
  if (pattern.length > MAX_PATTERN_BYTES || !/[*[]/.test(pattern)) return { text: pattern, choices: 0 };
  const first = pattern.startsWith('!') ? 1 : 0;
  let text = '';
  let stars = 0;
  let mayHoldSlash = false;
  for (let at = 0; at < pattern.length; ) {
    const start = at;
    if (pattern[at] === '\\') at += 2;
    else if (pattern[at] === '[') {
      const end = bracketEnd(pattern, at);
      // Not closed: in git, such a pattern matches nothing.
      at = end < 0 ? pattern.length : end + 1;
      mayHoldSlash ||= couldHoldSlash(pattern.slice(start + 1, end < 0 ? undefined : end));
    } else if (pattern[at] === '*') {
      while (pattern[at] === '*') at += 1;
      const fillsSegment = (start === first || pattern[start - 1] === '/') && (pattern[at] ?? '/') === '/';
      const isGlobstar = fillsSegment && at - start > 1;
      text += isGlobstar ? '**' : '*';
      if (!isGlobstar) stars += 1;
      continue;
    } else at += 1;
    text += pattern.slice(start, at);
  }
  text = text.replace(/(?<=^!?|\/)\*\*(?:\/\*\*)+(?=\/|$)/g, '**');
  // On its own, `**` matches every name, but the package would try more than one way.
  text = text.replace(/^(!?)\/?\*\*(\/?)$/, '$1*$2');
  const globstars = text.split(/(?<=^!?|\/)\*\*\//).length - 1;
  return { text, choices: globstars + (mayHoldSlash ? stars : 0) };
}

function patternProblem(line: string, pattern: SimplePattern, slowFits: boolean): Omit<RuleProblem, 'line'> | null {
  if (line.length > MAX_PATTERN_BYTES) {
    return { why: 'too-long', detail: `a pattern of ${line.length} bytes; the limit is ${MAX_PATTERN_BYTES}` };
  }
  if (pattern.choices < MAX_CHOICES || (pattern.choices === MAX_CHOICES && slowFits)) return null;
  const detail =
    pattern.choices > MAX_CHOICES ? 'wildcards that can take very long to match' : 'too many slow patterns';
  return { why: 'too-complex', detail };
}

/** Returns the end of the bracket expression that begins at `start`. A `]` at its very beginning is a member. */
function bracketEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at += 1;
  for (let first = true; at < pattern.length; at++, first = false) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === '[' && pattern[at + 1] === ':') {
      const close = pattern.indexOf(']', at + 2);
      if (close > at + 2 && pattern[close - 1] === ':') at = close;
    } else if (pattern[at] === ']' && !first) return at;
  }
  return -1;
}

/** Never false if the members include `/`. An escape in a range may make it true needlessly. */
function couldHoldSlash(members: string): boolean {
  if (members.includes('/')) return true;
  for (let at = 1; at + 1 < members.length; at++) {
    if (members[at] === '-' && members[at - 1]! <= '/' && members[at + 1]! >= '/') return true;
  }
  return false;
}
