/** What the system says of a call that failed. */

/** @returns its code (`ENOENT`); undefined where the error is of something else */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
