/**
 * Serializes a value as JSON without characters that could act on a terminal or hide text. It escapes control
 * characters beyond ASCII, format characters, line separators and unassigned characters. Parsing the result returns the
 * same value.
 * @param indent spaces per level; 0 for one line
 */
export function safeJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (characters) =>
    Array.from({ length: characters.length }, (_, i) => escapeUnit(characters.charCodeAt(i))).join(''),
  );
}

/** Line feeds stay: outside strings they are layout, and inside strings JSON has already escaped them. */
const UNSAFE = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/gu;

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
