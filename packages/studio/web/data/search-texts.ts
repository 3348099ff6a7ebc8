/**
 * The texts among the parameters of an address.
 * @returns without those that are missing, empty or no text
 */
export function searchTexts<Name extends string>(
  given: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { readonly [Text in Name]?: string } {
  const texts = names.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(texts) as { readonly [Text in Name]?: string };
}
