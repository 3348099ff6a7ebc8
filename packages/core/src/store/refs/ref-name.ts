/** Rules for ref names: those of git (`git check-ref-format`), limited to `refs/`. One character per byte. */

const MAX_NAME_BYTES = 1024;
const MAX_COMPONENT_BYTES = 200;
/** Control characters, space, and characters of git's revision and pattern syntax. */
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|[^\0-\xff]/;

export function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.length > MAX_NAME_BYTES || FORBIDDEN.test(name) || name.endsWith('.')) {
    return false;
  }
  return name.split('/').every(isComponent);
}

function isComponent(text: string): boolean {
  return text !== '' && text.length <= MAX_COMPONENT_BYTES && !text.startsWith('.') && !text.endsWith('.lock');
}
