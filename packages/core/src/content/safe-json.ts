/**
 * JSON in which nothing is left that could act on a terminal or hide: controls beyond ASCII, format characters, separators
 * of lines, characters without a meaning. Reading it back gives the same value.
 * @param indent spaces a level; 0 for one line
 */
export function safeJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (characters) =>
    Array.from({ length: characters.length }, (_, i) => escapeUnit(characters.charCodeAt(i))).join(''),
  );
}

/** Line feeds are left: outside of strings they are the layout, and inside of them JSON has escaped them. */
const UNSAFE = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/gu;

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
