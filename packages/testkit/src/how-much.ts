/** How much tests try that could try for ever: a person waits for `quick`, CI for `ci`, `npm run test:long` takes `long`. */
export interface HowMuch<T> {
  readonly quick: T;
  /** What is promised to be tried at each change. */
  readonly ci: T;
  readonly long: T;
}

export function howMuch<T>({ quick, ci, long }: HowMuch<T>): T {
  if (process.env['SAVEPOINT_LONG'] === '1') return long;
  return process.env['CI'] === undefined ? quick : ci;
}
