/** A minimal XML reader for the answers of a bucket: elements and text. Attributes are ignored. */

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Returns the inner XML of each element of that name, outermost first. */
export function elementsIn(xml: string, name: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; ; ) {
    const begin = xml.indexOf(`<${name}>`, at);
    if (begin < 0) return found;
    const end = xml.indexOf(`</${name}>`, begin);
    if (end < 0) return found;
    found.push(xml.slice(begin + name.length + 2, end));
    at = end;
  }
}

/** Returns the text of the first element of that name, or null. */
export function textIn(xml: string, name: string): string | null {
  const [inner] = elementsIn(xml, name);
  return inner === undefined
    ? null
    : inner.replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (all, entity: string) => decoded(all, entity));
}

function decoded(all: string, entity: string): string {
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? all;
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number.parseInt(entity.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
}
