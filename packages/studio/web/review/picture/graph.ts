/** The files of a change and those that depend on it, with who needs whom. */
import { nameKey, shownName } from '../../data/names.ts';
import type { ListedChange } from '../../diff/diff-file.ts';
import type { Finding, Report } from '../findings.ts';

export interface PictureFile {
  /** A `nameKey`. */
  readonly key: string;
  /** Safe to show. */
  readonly title: string;
  /** What happens to it; null: it is outside the change. */
  readonly operation: ListedChange['operation'] | null;
  readonly breaks: number;
  /** Findings that are not proven, or follow from others. */
  readonly others: number;
  /** The first line with its worst finding. */
  readonly line: number | null;
  readonly needs: readonly string[];
  readonly neededBy: readonly string[];
}

export type PictureGraph = ReadonlyMap<string, PictureFile>;

export function pictureGraph(
  changes: readonly ListedChange[],
  findings: readonly Finding[],
  { dependents, dependencies }: Pick<Report, 'dependents' | 'dependencies'>,
): PictureGraph {
  const operations = new Map<string, { readonly title: string; readonly operation: PictureFile['operation'] }>();
  for (const { path, operation } of changes) operations.set(nameKey(path), { title: shownName(path), operation });
  for (const { path } of [...dependents, ...findings]) {
    const key = nameKey(path);
    if (!operations.has(key)) operations.set(key, { title: shownName(path), operation: null });
  }
  const needs = needsAmong(operations, { dependents, dependencies });
  const neededBy = new Map<string, string[]>();
  for (const [key, all] of needs) for (const one of all) add(neededBy, one, key);
  const found = new Map<string, Finding[]>();
  for (const one of findings) add(found, nameKey(one.path), one);
  return new Map(
    [...operations].map(([key, known]) => {
      const its = found.get(key) ?? [];
      const breaks = its.filter((one) => one.class === 'breaks').length;
      const counts = { breaks, others: its.length - breaks, line: its.find(({ line }) => line !== null)?.line ?? null };
      return [key, { key, ...known, ...counts, needs: [...(needs.get(key) ?? [])], neededBy: neededBy.get(key) ?? [] }];
    }),
  );
}

function needsAmong(
  files: ReadonlyMap<string, unknown>,
  { dependents, dependencies }: Pick<Report, 'dependents' | 'dependencies'>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const needs = new Map<string, Set<string>>();
  const need = (from: string, to: string): void => {
    if (from === to || !files.has(from) || !files.has(to)) return;
    const known = needs.get(from);
    if (known === undefined) needs.set(from, new Set([to]));
    else known.add(to);
  };
  for (const { path, needs: needed } of dependencies) need(nameKey(path), nameKey(needed));
  for (const { path, needs: all } of dependents) for (const one of all) need(nameKey(path), nameKey(one));
  return needs;
}

function add<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [item]);
  else known.push(item);
}
