/** Whether two files have the same bytes. Null: there is no file. */
export function sameBytes(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
