/** Puts the files of a picture into rows: what others need is above them. */
import type { PictureFile, PictureGraph } from './graph.ts';

export interface Layer {
  readonly title: string;
  readonly files: readonly PictureFile[];
  /** Files of this layer that are not drawn. */
  readonly omitted: number;
}

/** Deeper files are together in the last row. */
const MOST_DEPTHS = 4;
/** More are only in the table. */
const MOST_CHANGED = 400;
const MOST_DEPENDENTS = 120;

export function layersOf(graph: PictureGraph): readonly Layer[] {
  const all = [...graph.values()];
  const changed = all.filter(({ operation }) => operation !== null);
  const isChanged = new Set(changed.map(({ key }) => key));
  const linked = changed.filter(({ needs, neededBy }) => needs.length + neededBy.length > 0);
  const depths = depthsOf(linked, graph);
  const layers: Layer[] = [];
  let room = MOST_CHANGED;
  const addLayer = (title: string, files: readonly PictureFile[], most: number): void => {
    if (files.length === 0) return;
    const drawn = worstFirst(files).slice(0, most);
    layers.push({ title, files: drawn, omitted: files.length - drawn.length });
  };
  const last = Math.min(MOST_DEPTHS, Math.max(...depths.values(), 0) + 1) - 1;
  for (let depth = 0; depth <= last; depth += 1) {
    const its = linked.filter(({ key }) => Math.min(depths.get(key) ?? 0, last) === depth);
    addLayer(titleOf(depth, last), its, room);
    room = Math.max(0, room - its.length);
  }
  addLayer(
    'Changed, and no import leads to or from it',
    changed.filter((one) => !linked.includes(one)),
    room,
  );
  const outside = all.filter(({ operation }) => operation === null);
  const isNear = ({ needs }: PictureFile): boolean => needs.length === 0 || needs.some((key) => isChanged.has(key));
  addLayer('Not changed, and imports changed files', outside.filter(isNear), MOST_DEPENDENTS);
  addLayer(
    'Not changed, and depends on changed files through others',
    outside.filter((one) => !isNear(one)),
    MOST_DEPENDENTS,
  );
  return layers;
}

function titleOf(depth: number, last: number): string {
  if (last === 0) return 'Changed';
  if (depth === 0) return 'Changed, and needs no other changed file';
  return depth === 1
    ? 'Changed, and needs changed files above'
    : `Changed, ${depth + 1} steps up to what needs nothing`;
}

function worstFirst(files: readonly PictureFile[]): readonly PictureFile[] {
  return [...files].sort(
    (one, other) =>
      Math.sign(other.breaks) - Math.sign(one.breaks) ||
      Math.sign(other.others) - Math.sign(one.others) ||
      other.needs.length + other.neededBy.length - one.needs.length - one.neededBy.length,
  );
}

/** The longest way to a file that needs nothing. Files that need each other have the same one. */
function depthsOf(files: readonly PictureFile[], graph: PictureGraph): ReadonlyMap<string, number> {
  const among = new Set(files.map(({ key }) => key));
  const needsOf = (key: string): readonly string[] => (graph.get(key)?.needs ?? []).filter((one) => among.has(one));
  const depths = new Map<string, number>();
  for (const group of circles([...among], needsOf)) {
    const inside = new Set(group);
    const below = group.flatMap((key) => needsOf(key).filter((one) => !inside.has(one)));
    const depth = Math.max(0, ...below.map((key) => (depths.get(key) ?? 0) + 1));
    for (const key of group) depths.set(key, depth);
  }
  return depths;
}

interface Visit {
  readonly key: string;
  readonly needs: readonly string[];
  next: number;
}

/** Tarjan's algorithm, without recursion: files that need each other are one group. What a group needs comes before it. */
function circles(keys: readonly string[], needsOf: (key: string) => readonly string[]): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const visits: Visit[] = [];
  const enter = (key: string): void => {
    order.set(key, order.size);
    lowest.set(key, order.size - 1);
    open.push(key);
    isOpen.add(key);
    visits.push({ key, needs: needsOf(key), next: 0 });
  };
  const lower = (key: string, to: number): void => void lowest.set(key, Math.min(lowest.get(key) ?? to, to));
  for (const start of keys) {
    if (!order.has(start)) enter(start);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { key, needs } = visit;
      const to = needs[visit.next];
      visit.next += 1;
      if (to !== undefined) {
        if (!order.has(to)) enter(to);
        else if (isOpen.has(to)) lower(key, order.get(to) ?? 0);
        continue;
      }
      visits.pop();
      const above = visits.at(-1);
      if (above !== undefined) lower(above.key, lowest.get(key) ?? 0);
      if (lowest.get(key) !== order.get(key)) continue;
      const group = open.splice(open.indexOf(key));
      for (const one of group) isOpen.delete(one);
      groups.push(group);
    }
  }
  return groups;
}
