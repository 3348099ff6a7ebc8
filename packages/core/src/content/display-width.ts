/** Characters that take two columns in a terminal: East Asian wide and full-width characters, and common emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** Combining marks, which take no column. */
const MARK = /[\p{Mn}\p{Me}]/u;

/** Returns about how many terminal columns a text without control characters takes; good enough for alignment. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : MARK.test(character) ? 0 : 1;
  return width;
}

/** Returns the longest end of the text that fits into `columns`, with a leading `…` if something was cut. */
export function fitEnd(text: string, columns: number): string {
  return fits(text, columns)
    ? text
    : `…${fit([...text].reverse(), columns - 1)
        .reverse()
        .join('')}`;
}

/** Returns the longest start of the text that fits into `columns`, with a trailing `…` if something was cut. */
export function fitStart(text: string, columns: number): string {
  return fits(text, columns) ? text : `${fit([...text], columns - 1).join('')}…`;
}

/** A thousand combining marks on one letter fit into a column, but not on a line, so characters are limited too. */
function fits(text: string, columns: number): boolean {
  return displayWidth(text) <= columns && [...text].length <= 2 * columns;
}

function fit(characters: readonly string[], columns: number): string[] {
  let width = 0;
  const cut = characters.findIndex((character) => {
    width += WIDE.test(character) ? 2 : 1;
    return width > columns;
  });
  return characters.slice(0, cut < 0 ? characters.length : cut);
}
