/**
 * Reads JSON that comes from outside: requests, messages, settings, events, answers of sandboxes, bundles.
 *
 * Two things are other questions. What Savepoint wrote itself (records, journals, caches, the health of hooks) goes to
 * `JSON.parse` and is checked for what it must hold. Settings of agents are edited as text, with comments and layout, in
 * the package of the agents.
 */

export interface JsonLimits {
  /** Levels; what reads values later goes down by recursion. Default 200, more than anything that means something to us. */
  readonly maxDepth?: number;
  /** Characters, or bytes where bytes are given. Default: whoever read them has bounded them. */
  readonly maxLength?: number;
  /**
   * - `once` (default): no key twice in an object, as readers differ in which of the two they take, and none called
   *   `__proto__`, as what copies the value later would change an object's ancestor with it, or lose it;
   * - `once-any-name`: the same, where names of files, or words of whoever wrote it, are keys and looked up as own ones only;
   * - `any`: as `JSON.parse` takes it. For events: one that is refused is a change that nobody has on record.
   */
  readonly keys?: 'once' | 'once-any-name' | 'any';
}

/** Why a text is not taken. `message` reads as the end of "the request …". */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';

  constructor(
    /** `meaning`: it may be JSON, and has none that is one only. */
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

/** One pass over strings and brackets, without recursion; whatever is no JSON at all is left to the parser. */
function assertShape(text: string, { maxDepth = MAX_DEPTH, keys = 'once' }: JsonLimits): void {
  /** For each open bracket: the keys seen in it; null for a list, and where keys do not matter. */
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

/** Behind its closing quote. Strings may be as long as the text, so this leaps from quote to quote. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Two spellings of one key are one key. */
function decodeKey(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
