/** A text of numbered lines. Those in `changed`, by number, have other words. */
export function numberedLines(count: number, changed: Readonly<Record<number, string>>): string {
  return Array.from({ length: count }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join('');
}
