/** The environment of a sandbox's programs, as callers give it: a variable that is not set may be undefined. */
export function withoutUndefinedValues(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
