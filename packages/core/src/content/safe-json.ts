/**
 * JSON on one line in which nothing is left that could act on a terminal or hide: controls beyond ASCII, format
 * characters, separators of lines. Reading it back gives the same value.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (characters) =>
    Array.from({ length: characters.length }, (_, i) => escapeUnit(characters.charCodeAt(i))).join(''),
  );
}

const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu;

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
