/**
 * Whether any pattern of ignore files can match a name at all, told by how the pattern's last part begins and ends. Of most
 * names none can, and that is all that has to be known of them.
 */

/** What a name must begin and end with. */
interface Ends {
  readonly head: string;
  readonly tail: string;
}

const SPECIAL = /[*?[\]\\]/;
/** What git drops at the end of a line, or does not. */
const LOOSE_END = /[\s\r]$/;

export class NameFilter {
  private constructor(
    private readonly names: ReadonlySet<string>,
    private readonly ends: readonly Ends[],
  ) {}

  /** Null where that cannot be told: patterns that take back what others say, or that say nothing about the name. */
  static of(patterns: readonly string[]): NameFilter | null {
    const names = new Set<string>();
    const ends: Ends[] = [];
    for (const pattern of patterns) {
      if (pattern.startsWith('!') || LOOSE_END.test(pattern)) return null;
      const path = fold(pattern.endsWith('/') ? pattern.slice(0, -1) : pattern);
      const last = path.slice(path.lastIndexOf('/') + 1);
      if (!SPECIAL.test(last)) names.add(last);
      else {
        // A slash in a bracket expression ends no part.
        const head = pattern.includes('[') ? '' : last.slice(0, last.search(SPECIAL));
        const tail = /[^*?[\]\\]*$/.exec(last)?.[0] ?? '';
        if (head === '' && tail === '') return null;
        ends.push({ head, tail });
      }
    }
    return new NameFilter(names, ends);
  }

  with(other: NameFilter): NameFilter {
    return new NameFilter(new Set([...this.names, ...other.names]), [...this.ends, ...other.ends]);
  }

  /** True does not say that one does. */
  mayMatch(name: string): boolean {
    const folded = fold(name);
    if (this.names.has(folded)) return true;
    for (const { head, tail } of this.ends) if (folded.startsWith(head) && folded.endsWith(tail)) return true;
    return false;
  }
}

/** Whether case counts or not: what differs in it alone may match. */
function fold(text: string): string {
  return text.toLowerCase();
}
