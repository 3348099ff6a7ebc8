/** Lists the first of several names in a line, and counts the rest: `a, b and 3 more`. */
export function someOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
