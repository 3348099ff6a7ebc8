/** The new failures of a plan's checks, at the lines that they name. */
import { nameKey, shownText } from '../data/names.ts';
import type { ShownPlan } from './decisions.ts';

/** By file and line; 0: the failure names no line. */
export type FindingsByLine = ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export function failuresByLine(plan: ShownPlan): FindingsByLine {
  const files = plan.changes.map(({ path }) => nameKey(path));
  const found = new Map<string, Map<number, readonly string[]>>();
  for (const { file, line, text } of [...failures(plan, files), ...findings(plan)]) {
    const lines = found.get(file) ?? new Map<number, readonly string[]>();
    lines.set(line, [...(lines.get(line) ?? []), text]);
    found.set(file, lines);
  }
  return found;
}

/** Failures begin with `path:line`, as most tools print them. */
function failures({ checks }: ShownPlan, files: readonly string[]): readonly Finding[] {
  return (checks?.results ?? []).flatMap(({ name, failures: lines }) =>
    lines.flatMap((text) => {
      const file = files.find((one) => text.includes(one));
      if (file === undefined) return [];
      const line = Number(/^[:(](\d+)/.exec(text.slice(text.indexOf(file) + file.length))?.[1] ?? 0);
      return [{ file, line, text: shownText(`${name}: ${text}`) }];
    }),
  );
}

function findings({ findings: all }: ShownPlan): readonly Finding[] {
  return all.flatMap(({ path, line, message }) =>
    path === null ? [] : [{ file: nameKey(path), line: line ?? 0, text: shownText(message) }],
  );
}
