/**
 * Parses JSON from outside: requests, messages, settings, events, answers of sandboxes, bundles.
 *
 * Two kinds of JSON are handled elsewhere. Savepoint's own files (records, journals, caches, the health of hooks) go
 * through `JSON.parse` and are then validated. Agents' settings are edited as text, to keep comments and layout, in the
 * agents package.
 */

export interface JsonLimits {
  /** In levels, as later code recurses into the value. Default 200, which is more than any valid input needs. */
  readonly maxDepth?: number;
  /** In characters, or in bytes for binary input. Default: no limit, for input that the caller has already limited. */
  readonly maxLength?: number;
  /**
   * - `once` (default): rejects duplicate keys in an object, because parsers differ in which of the two they use. Also
   *   rejects the key `__proto__`, because copying the value could lose it or change an object's prototype.
   * - `once-any-name`: as `once`, but allows `__proto__`. For objects whose keys are file names or free text, and are
   *   only looked up as own properties.
   * - `any`: accepts what `JSON.parse` accepts. For events: a rejected event would be a change that is not recorded.
   */
  readonly keys?: 'once' | 'once-any-name' | 'any';
}

/** Why a text was rejected. `message` completes a sentence that starts with "the request …". */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';

  constructor(
    /** `meaning`: it may be valid JSON, but it is ambiguous or over a limit. */
    readonly kind: 'encoding' | 'syntax' | 'meaning',
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

const MAX_DEPTH = 200;

/** @throws JsonProblem */
export function readJson(given: string | Uint8Array, limits: JsonLimits = {}): unknown {
  const { maxLength = Number.POSITIVE_INFINITY } = limits;
  if (given.length > maxLength) throw new JsonProblem('meaning', `is longer than ${maxLength} bytes`);
  const text = typeof given === 'string' ? given : decodeUtf8(given);
  assertShape(text, limits);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonProblem('syntax', `is not valid JSON: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new JsonProblem('encoding', 'is not valid UTF-8', { cause });
  }
}

/** Checks strings and brackets in one pass, without recursion. Other syntax errors are left to the parser. */
function assertShape(text: string, { maxDepth = MAX_DEPTH, keys = 'once' }: JsonLimits): void {
  /** The keys seen in each open bracket; null for a list, and if keys are not checked. */
  const open: (Set<string> | null)[] = [];
  const structure = /["{}[\]:]/g;
  let [start, end] = [0, 0];
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    const at = found.index;
    switch (found[0]) {
      case '"':
        [start, end] = [at, endOfString(text, at)];
        structure.lastIndex = end;
        break;
      case '{':
      case '[':
        open.push(found[0] === '{' && keys !== 'any' ? new Set() : null);
        if (open.length > maxDepth) throw new JsonProblem('meaning', `is nested more than ${maxDepth} levels deep`);
        break;
      case ':': {
        const seen = open.at(-1);
        if (seen == null) break;
        const key = decodeKey(text.slice(start, end));
        if (key === '__proto__' && keys === 'once') throw new JsonProblem('meaning', 'has a key named __proto__');
        if (seen.has(key)) {
          throw new JsonProblem('meaning', `has the key ${JSON.stringify(key.slice(0, 80))} twice in one object`);
        }
        seen.add(key);
        break;
      }
      default:
        open.pop();
    }
  }
}

/** Returns the index after the closing quote. Strings may be as long as the text, so this jumps from quote to quote. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Decodes escapes, so that two spellings of a key are equal. */
function decodeKey(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
