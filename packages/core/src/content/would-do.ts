const PAST: readonly (readonly [past: string, plain: string])[] = [
  ['Restored', 'restore'],
  ['Rolled back', 'roll back'],
  ['Undid', 'undo'],
  ['Redid', 'redo'],
];

/** The description of an operation as a preview has it: `Restored cp_12` becomes `would restore cp_12`. */
export function wouldDo(description: string): string {
  const found = PAST.find(([past]) => description.startsWith(`${past} `));
  return found === undefined ? description : `would ${found[1]}${description.slice(found[0].length)}`;
}
