/**
 * A quick check whether any ignore pattern can match a name, by the beginning and end of each pattern's last component.
 * Most names match none, and need no further check.
 */

/** The required beginning and end of a name. */
interface Ends {
  readonly head: string;
  readonly tail: string;
}

const SPECIAL = /[*?[\]\\]/;
/** Trailing white space, which git may or may not drop. */
const LOOSE_END = /[\s\r]$/;
const EVERYTHING_IN = /^(?:[^[\\]*\/)?([^*?[\]\\/]+)\/\*{1,2}$/;

export class NameFilter {
  private constructor(
    private readonly names: ReadonlySet<string>,
    private readonly ends: readonly Ends[],
    /** The names of folders in which a pattern such as `folder/*` may match every name. */
    private readonly openFolders: ReadonlySet<string>,
  ) {}

  /** Null if no filter is possible: a pattern ends in white space, or does not restrict the name. */
  static of(patterns: readonly string[]): NameFilter | null {
    const names = new Set<string>();
    const ends: Ends[] = [];
    const openFolders = new Set<string>();
    for (const pattern of patterns) {
      // A name that no other pattern matches is not ignored, whether it is re-included or not.
      if (pattern.startsWith('!')) continue;
      if (LOOSE_END.test(pattern)) return null;
      const path = fold(pattern.endsWith('/') ? pattern.slice(0, -1) : pattern);
      const last = path.slice(path.lastIndexOf('/') + 1);
      const open = EVERYTHING_IN.exec(path)?.[1];
      if (open !== undefined) openFolders.add(open);
      else if (!SPECIAL.test(last)) names.add(last);
      else {
        // A slash in a bracket expression does not end a component.
        const head = pattern.includes('[') ? '' : last.slice(0, last.search(SPECIAL));
        const tail = /[^*?[\]\\]*$/.exec(last)?.[0] ?? '';
        if (head === '' && tail === '') return null;
        ends.push({ head, tail });
      }
    }
    return new NameFilter(names, ends, openFolders);
  }

  with(other: NameFilter): NameFilter {
    return new NameFilter(
      new Set([...this.names, ...other.names]),
      [...this.ends, ...other.ends],
      new Set([...this.openFolders, ...other.openFolders]),
    );
  }

  /** Whether the filter is of no use in a folder of this name, and below it. */
  isOpenIn(folder: string): boolean {
    return this.openFolders.has(fold(folder));
  }

  /** May return true for a name that no pattern matches, but never false for one that matches. */
  mayMatch(name: string): boolean {
    const folded = fold(name);
    if (this.names.has(folded)) return true;
    for (const { head, tail } of this.ends) if (folded.startsWith(head) && folded.endsWith(tail)) return true;
    return false;
  }
}

/** Folds case regardless of core.ignorecase, so that names that differ only in case may match. */
function fold(text: string): string {
  return text.toLowerCase();
}
