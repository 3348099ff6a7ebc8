import fc from 'fast-check';

/**
 * Contents that are hard to compare: few distinct lines, so that many repeat; all three line ends; sometimes no final
 * line end, or invalid UTF-8.
 * @param variety number of distinct lines
 */
export function content(variety: number, maxLines = 30): fc.Arbitrary<Buffer> {
  const line = fc
    .tuple(fc.nat({ max: variety - 1 }), fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\n', '\rx\n'))
    .map(([number, ending]) => `line ${number}\xe9${ending}`);
  return fc
    .tuple(fc.array(line, { maxLength: maxLines }), fc.constantFrom('', '', 'end', 'end\r'))
    .map(([lines, last]) => Buffer.from(lines.join('') + last, 'latin1'));
}

/** A content, and the results of one or several small changes to it. */
export interface Grown {
  readonly base: Buffer;
  readonly grown: readonly Buffer[];
}

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly add: readonly string[];
}

/** @param count number of contents derived from the base, each by one to three changes */
export function grown(variety: number, maxLines: number, count: number): fc.Arbitrary<Grown> {
  const line = fc.nat({ max: variety - 1 }).map((number) => `line ${number}\n`);
  const edit: fc.Arbitrary<Edit> = fc.record({
    at: fc.nat({ max: maxLines }),
    remove: fc.nat({ max: 3 }),
    add: fc.array(line, { maxLength: 3 }),
  });
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
  return fc
    .tuple(
      fc.array(line, { maxLength: maxLines }),
      fc.array(fc.tuple(edits, fc.boolean()), { minLength: count, maxLength: count }),
    )
    .map(([base, sides]) => ({
      base: Buffer.from(base.join('')),
      grown: sides.map(([changes, cutEnd]) => {
        const lines = [...base];
        for (const { at, remove, add } of changes) lines.splice(at % (lines.length + 1), remove, ...add);
        const text = lines.join('');
        return Buffer.from(cutEnd && changes.length > 2 ? text.slice(0, -1) : text);
      }),
    }));
}
