/** How much an open-ended test tries: `quick` for developers, `ci` for CI, `long` for `npm run test:long`. */
export interface TestEffort<T> {
  readonly quick: T;
  /** The minimum that is tried on every change. */
  readonly ci: T;
  readonly long: T;
}

export function testEffort<T>({ quick, ci, long }: TestEffort<T>): T {
  if (process.env['SAVEPOINT_LONG'] === '1') return long;
  return process.env['CI'] === undefined ? quick : ci;
}
