/**
 * Reads the elements of XML that a tool wrote, tolerantly: entities, comments and character data are skipped, nothing is
 * expanded, and malformed parts only lead to fewer elements.
 */

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const NAME = /[A-Za-z_][\w:.-]{0,100}/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]{0,100})\s*=\s*/y;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const MAX_ATTRIBUTES = 100;
const MAX_VALUE = 64 * 1024;

/** The start tags, in order. Every character is visited a limited number of times. */
export function* elementsOf(text: string): Generator<XmlElement> {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (text.startsWith('<![CDATA[', at)) at = after(text, ']]>', at + 9);
    else {
      NAME.lastIndex = at + 1;
      const name = NAME.exec(text)?.[0];
      at += 1;
      if (name === undefined) continue;
      const read = attributesFrom(text, at + name.length);
      at = read.end;
      yield { name, attributes: read.attributes };
    }
  }
}

function attributesFrom(
  text: string,
  start: number,
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  let at = start;
  while (attributes.size < MAX_ATTRIBUTES) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(text);
    if (found === null) break;
    const quote = text[ATTRIBUTE.lastIndex];
    if (quote !== '"' && quote !== "'") break;
    const from = ATTRIBUTE.lastIndex + 1;
    const end = text.indexOf(quote, from);
    if (end < 0) return { attributes, end: text.length };
    attributes.set(found[1]!, decode(text.slice(from, Math.min(end, from + MAX_VALUE))));
    at = end + 1;
  }
  return { attributes, end: at };
}

function decode(value: string): string {
  return value.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function after(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at + what.length;
}
