const DOTTED = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*(?:\.\w+)*)?$/;
const ENTRY_POINT = /^[A-Za-z_]\w*:[A-Za-z_]\w*$/;
/** Names of files look the same. */
const FILE_NAME =
  /^[^.]+\.(?:cfg|conf|css|csv|db|gz|html?|ini|jpe?g|js|json|lock|log|md|png|py[ci]?|rst|sh|sql|svg|toml|txt|xml|ya?ml|zip)$/;
const LONGEST_NAME = 200;

/** What a literal contains; null: it has parts that are not constant, or is not text. */
export function literalText(source: string): string | null {
  const match = /^([A-Za-z]*)("""|'''|"|')/.exec(source);
  if (match === null || /[fbt]/i.test(match[1]!)) return null;
  const [head, , quote] = match;
  return source.endsWith(quote!) && source.length >= head.length + quote!.length
    ? source.slice(head.length, -quote!.length)
    : null;
}

/** `package.module.name` or `package.module:name`, as with a dot; null: the text is something else. */
export function dottedName(text: string): string | null {
  if (text.length > LONGEST_NAME || FILE_NAME.test(text)) return null;
  return DOTTED.test(text) || ENTRY_POINT.test(text) ? text.replace(':', '.') : null;
}

/** The names in an annotation that is written as a string: `"dict[str, models.User]"`. */
export function namesInAnnotation(text: string): string[][] {
  if (text.length > LONGEST_NAME || !/^[\w.[\], |]+$/.test(text)) return [];
  return [...text.matchAll(/[A-Za-z_][\w.]*/g)].map(([name]) => name.split('.').filter((part) => part !== ''));
}
