/**
 * Cuts answers that are too long, and reports what was left out. Clients and models cannot handle very long answers.
 */

export interface Omission {
  /** The field: `plan.paths`, `checkpoints[].partial`. */
  readonly at: string;
  readonly count: number;
  readonly of: 'items' | 'characters';
}

export interface BoundedValue {
  readonly value: unknown;
  readonly leftOut: readonly Omission[];
}

/** The limits of an answer: bytes of its JSON, characters of its text. Requested contents of files come on top. */
export const MAX_ANSWER_BYTES = 64 * 1024;
export const MAX_TEXT_LENGTH = 32 * 1024;

/**
 * From mild to harsh: the most items of a list, and the most characters of a text. The first level that fits is used.
 */
const LEVELS: readonly (readonly [items: number, characters: number])[] = [
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  [500, 40_000],
  [200, 32_000],
  [100, 16_000],
  [50, 16_000],
  [20, 8000],
  [10, 4000],
  [3, 4000],
  [0, 1000],
  [0, 100],
];

/** @param most bytes of the answer as JSON */
export function boundValue(value: unknown, most: number): BoundedValue {
  let last: BoundedValue = { value: null, leftOut: [] };
  for (const [items, characters] of LEVELS) {
    const found = new Map<string, Omission>();
    const cutValue = cut(value, '', items, characters, found);
    last = { value: cutValue, leftOut: [...found.values()] };
    if (fits(cutValue, most)) return last;
  }
  return last;
}

/**
 * Joins lines to one text within the limit. The end of the text lists `leftOut`.
 * @param most characters of the text
 */
export function boundText(lines: readonly string[], leftOut: readonly Omission[], most = MAX_TEXT_LENGTH): string {
  const text = lines.join('\n');
  const notes = leftOut.map(({ at, count, of }) => `(left out: ${count} ${of} of ${at})`);
  const room = most - notes.join('\n').length - 100;
  if (text.length > room) {
    const kept = text.slice(0, room).replace(/[\ud800-\udbff]$/, '');
    notes.unshift(`(left out: the last ${text.length - kept.length} characters of this text)`);
    return [kept, ...notes].join('\n');
  }
  return [text, ...notes].join('\n');
}

function cut(value: unknown, at: string, items: number, characters: number, found: Map<string, Omission>): unknown {
  if (typeof value === 'string') {
    if (value.length <= characters) return value;
    // Keep base64 valid, and do not split a surrogate pair.
    const cutAt = at.endsWith('b64') ? characters - (characters % 4) : characters;
    const kept = value.slice(0, cutAt).replace(/[\ud800-\udbff]$/, '');
    countOmission(found, at, value.length - kept.length, 'characters');
    return kept;
  }
  if (Array.isArray(value)) {
    if (value.length > items) countOmission(found, at, value.length - items, 'items');
    return value.slice(0, items).map((item) => cut(item, `${at}[]`, items, characters, found));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      cut(field, at === '' ? key : `${at}.${key}`, items, characters, found),
    ]),
  );
}

function countOmission(found: Map<string, Omission>, at: string, count: number, of: Omission['of']): void {
  found.set(at, { at, of, count: count + (found.get(at)?.count ?? 0) });
}

function fits(value: unknown, most: number): boolean {
  let left = most;
  const take = (part: unknown): void => {
    if (left < 0) return;
    if (typeof part !== 'object' || part === null) left -= Buffer.byteLength(JSON.stringify(part) ?? '') + 1;
    else if (Array.isArray(part)) {
      left -= 2;
      for (const item of part) take(item);
    } else {
      for (const [key, field] of Object.entries(part)) {
        left -= Buffer.byteLength(key) + 4;
        take(field);
      }
    }
  };
  take(value);
  return left >= 0;
}
