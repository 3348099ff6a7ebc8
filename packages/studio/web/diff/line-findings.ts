/** What checks and the analysis of the code say about lines of a diff. */

export interface LineFinding {
  /** `check`: a failure of a check; otherwise the class of a finding. */
  readonly kind: 'check' | 'breaks' | 'follows' | 'may-be-affected';
  /** Safe to show. */
  readonly text: string;
}

export const FINDING_WORDS: Readonly<Record<LineFinding['kind'], string>> = {
  check: 'check',
  breaks: 'breaks',
  follows: 'follows',
  'may-be-affected': 'may be affected',
};

/** By file and line of the text after; at line 0, about the whole file. */
export type FindingsByLine = ReadonlyMap<string, ReadonlyMap<number, readonly LineFinding[]>>;

export interface PlacedFinding extends LineFinding {
  /** A `nameKey`. */
  readonly file: string;
  readonly line: number;
}

export function findingsByLine(all: readonly PlacedFinding[]): FindingsByLine {
  const found = new Map<string, Map<number, LineFinding[]>>();
  for (const { file, line, kind, text } of all) {
    const lines = found.get(file) ?? new Map<number, LineFinding[]>();
    const here = lines.get(line) ?? [];
    if (!here.some((one) => one.kind === kind && one.text === text)) here.push({ kind, text });
    lines.set(line, here);
    found.set(file, lines);
  }
  return found;
}
