/** A request that a plan writes this file. */
export const write = (path: string, content: string) => ({ path, edits: [{ op: 'write' as const, content }] });
