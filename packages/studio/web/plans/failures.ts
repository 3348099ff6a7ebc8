/** The new failures of a plan's checks, at the lines that they name. */
import { nameKey, shownText } from '../data/names.ts';
import type { PlacedFinding } from '../diff/line-findings.ts';
import type { ShownPlan } from './decisions.ts';

/** Failures begin with `path:line`, as most tools print them. Line 0: the failure names no line. */
export function failuresAtLines({ checks, changes }: ShownPlan): readonly PlacedFinding[] {
  const files = changes.map(({ path }) => nameKey(path));
  return (checks?.results ?? []).flatMap(({ name, failures }) =>
    failures.flatMap((text) => {
      const file = files.find((one) => text.includes(one));
      if (file === undefined) return [];
      const line = Number(/^[:(](\d+)/.exec(text.slice(text.indexOf(file) + file.length))?.[1] ?? 0);
      return [{ file, line, kind: 'check' as const, text: shownText(`${name}: ${text}`) }];
    }),
  );
}
