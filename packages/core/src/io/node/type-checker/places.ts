/** Turns what a compiler reports into lines, source texts and names. */
import type { CheckerError, RelatedPlace } from '../../type-checker.ts';
import type { CompilerError } from './checker.ts';
import type { StateFiles } from './state-files.ts';

const MAX_TEXT = 200;
const MAX_RELATED = 5;
const MAX_NAMES = 50;
/** Longer statements are not looked at. */
const MAX_STATEMENT = 4_000;

/** Cannot find a module, or its types. */
const UNRESOLVED = new Set([2307, 2792, 7016, 2306, 2732]);

/** Returns the path relative to the workspace, with slashes; null if it is outside of it. */
export function inWorkspace(files: StateFiles, path: string): string | null {
  return path.startsWith(`${files.root}/`) ? path.slice(files.root.length + 1) : null;
}

/** Returns the errors of one file with their places. */
export function located(files: StateFiles, errors: readonly CompilerError[]): readonly CheckerError[] {
  const texts = new Map<string, SourceLines>();
  const linesOf = (file: string): SourceLines => {
    const known = texts.get(file) ?? new SourceLines(files.read(file) ?? '');
    texts.set(file, known);
    return known;
  };
  return errors.map(({ file, start, end, code, message, related }) => {
    const source = file === null ? null : linesOf(file);
    return {
      line: source?.lineAt(start) ?? null,
      code: `TS${code}`,
      message,
      text: source?.text.slice(start, Math.min(end, start + MAX_TEXT)) ?? '',
      names: source !== null && UNRESOLVED.has(code) ? importedNames(source.text, start, end) : [],
      related: related.slice(0, MAX_RELATED).flatMap((one): readonly RelatedPlace[] => {
        const inside = one.file === null ? null : inWorkspace(files, one.file);
        if (one.file === null || inside === null) return [];
        return [{ file: inside, line: linesOf(one.file).lineAt(one.start), message: one.message }];
      }),
    };
  });
}

class SourceLines {
  readonly #starts: readonly number[];

  constructor(readonly text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** From 1. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

/**
 * Returns the names that an import declaration binds.
 * @param start where the name of the module starts in the text
 */
function importedNames(text: string, start: number, end: number): readonly string[] {
  const before = text.slice(Math.max(0, start - MAX_STATEMENT), start);
  const declaration = /(?:^|[;\n}])\s*import\s+(?:type\s+)?([^;]*?)\s*from\s*$/.exec(before);
  const [, bound] =
    declaration ?? /(?:const|let|var)\s+([^;=]*?)\s*=\s*(?:await\s+import|require)\s*\(\s*$/.exec(before) ?? [];
  if (bound === undefined || end <= start) return [];
  // `a as b` and `a: b` bind b.
  const words = bound.replace(/[\w$]+\s+as\s+|\*\s*as\s+|[\w$]+\s*:\s*/g, '').match(/[A-Za-z_$][\w$]*/g) ?? [];
  return words.filter((word) => word !== 'type').slice(0, MAX_NAMES);
}
