/** How much tests try that could try for ever: a person waits for `quick`, CI for `ci`, `npm run test:long` takes `long`. */
export interface TestEffort<T> {
  readonly quick: T;
  /** What is promised to be tried at each change. */
  readonly ci: T;
  readonly long: T;
}

export function testEffort<T>({ quick, ci, long }: TestEffort<T>): T {
  if (process.env['SAVEPOINT_LONG'] === '1') return long;
  return process.env['CI'] === undefined ? quick : ci;
}
