/** The fields of an answer. A model pays for every byte, so an answer has no field without information. */

type Given<T> = { readonly [Key in keyof T]: T[Key] | null | undefined };

/** Returns the fields that say something: without null, `false` and empty lists. */
export function present<T extends object>(fields: Given<T>): T {
  const kept = Object.entries(fields).filter(([, value]) => {
    if (value === null || value === undefined || value === false) return false;
    return !Array.isArray(value) || value.length > 0;
  });
  return Object.fromEntries(kept) as T;
}

/** Without fractions of a second. */
export function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
