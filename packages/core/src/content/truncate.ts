/** Shortens a text to at most `characters` UTF-16 code units, and marks that something is missing. */
export function truncate(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters - 1)}…` : text;
}
