import { SavepointError } from '@savepoint/core';

/** Deeper than anything that means something to us, and far from what a parser's stack can bear. */
const DEEPEST = 200;

/**
 * Reads JSON that has one meaning only: no key twice in an object, where readers differ, and no nesting without end.
 * @throws SavepointError USAGE with what is wrong and where
 */
export function parseStrictJson(text: string): unknown {
  checkShape(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw refused(`is no JSON: ${(error as Error).message}`);
  }
}

/** One pass over strings and brackets; whatever is no JSON at all is left to the parser. */
function checkShape(text: string): void {
  const open: (Set<string> | null)[] = [];
  let key: string | null = null;
  for (const token of tokens(text)) {
    const keys = open.at(-1);
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
      if (open.length > DEEPEST) throw refused(`is nested more than ${DEEPEST} levels deep`);
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ':') {
      if (keys == null || key === null) continue;
      if (keys.has(key)) throw refused(`has the key ${key.slice(0, 80)} twice in one object`);
      keys.add(key);
    } else if (token !== ',') {
      key = keys == null ? null : unescaped(token);
    }
  }
}

/** Strings with their quotes, brackets, colons and commas. A string may be as long as the text. */
function* tokens(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if ('{}[],:'.includes(sign)) yield sign;
    if (sign !== '"') continue;
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    yield text.slice(at, end + 1);
    at = end;
  }
}

/** Two spellings of one key are one key. */
function unescaped(token: string): string {
  try {
    return JSON.stringify(JSON.parse(token));
  } catch {
    return token;
  }
}

function refused(why: string): SavepointError {
  return new SavepointError('USAGE', `The request ${why}.`, { argument: 'request' });
}
