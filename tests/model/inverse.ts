/** What reverting an operation must do, path by path, without code of the engine. */

import type { Tree } from '../simulated.ts';
import { contentOf, isBelow, kindOf, modeOf, type Node, parentOf } from './tree.ts';

/**
 * The required result of applying the inverse of `base → theirs` to `now`: the tree, or `null` if it must be a
 * conflict. With `orConflict` a conflict is also correct, because changed lines are too close together.
 */
export type Verdict = { readonly tree: Tree; readonly orConflict: boolean } | null;

/**
 * @param base the state that the operation left
 * @param theirs the state before the operation, which is to be restored
 * @param now base, with later changes
 */
export function inverse(base: Tree, theirs: Tree, now: Tree): Verdict {
  const result = new Map(now);
  let orConflict = false;
  const touched = [...new Set([...base.keys(), ...theirs.keys()])].filter(
    (path) => base.get(path) !== theirs.get(path),
  );
  const goingFolders: string[] = [];
  for (const path of touched) {
    const [was, back, today] = [base.get(path), theirs.get(path), now.get(path)];
    if (today === back) continue;
    if (today === was) {
      if (kindOf(was) === 'folder' && kindOf(back) !== 'folder') goingFolders.push(path);
      if (back === undefined) result.delete(path);
      else result.set(path, back);
      continue;
    }
    const merged = merge(was, back, today);
    if (merged === null) return null;
    if (merged.orConflict) orConflict = true;
    result.set(path, merged.node);
  }
  // A folder is removed only if everything in it is.
  for (const path of goingFolders) {
    const stays = [...result.keys()].some((each) => isBelow(each, path));
    if (!stays) continue;
    if (theirs.get(path) !== undefined) return null;
    result.set(path, now.get(path) as Node);
  }
  // A restored path needs its folders, even those that were removed since.
  for (const path of [...result.keys()]) {
    for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
      if (!result.has(above)) result.set(above, theirs.get(above) as Node);
      if (kindOf(result.get(above)) !== 'folder') return null;
    }
  }
  return { tree: result, orConflict };
}

function merge(
  was: Node | undefined,
  back: Node | undefined,
  today: Node | undefined,
): { readonly node: Node; readonly orConflict: boolean } | null {
  if (kindOf(today) === 'folder' && kindOf(back) === 'folder') {
    return { node: today as Node, orConflict: false }; // its permissions were changed since: theirs
  }
  if (was === undefined || back === undefined || today === undefined) return null;
  if ([was, back, today].some((node) => kindOf(node) !== 'file')) return null;
  const mode = modeOf(today) === modeOf(was) ? modeOf(back) : modeOf(today);
  const lines = mergeLines(contentOf(was), contentOf(today), contentOf(back));
  return lines === null ? null : { node: `file ${mode} ${lines.content}`, orConflict: lines.orConflict };
}

function mergeLines(
  was: string,
  today: string,
  back: string,
): { readonly content: string; readonly orConflict: boolean } | null {
  if (today === was || today === back) return { content: back, orConflict: false };
  if (back === was) return { content: today, orConflict: false };
  const [base, ours, theirs] = [was.split('\n'), today.split('\n'), back.split('\n')];
  if ([was, today, back].some((text) => text.includes('\0'))) return null;
  // Lines were added or removed. The result of such a merge is tested with the merge itself.
  if (base.length !== ours.length || base.length !== theirs.length) return { content: UNKNOWN, orConflict: true };
  // Equal lines can be matched in more than one way.
  if ([base, ours, theirs].some((lines) => new Set(lines).size < lines.length))
    return { content: UNKNOWN, orConflict: true };
  if (base.some((line, at) => ours[at] !== line && theirs[at] !== line && ours[at] !== theirs[at])) return null;
  const by = base.map((line, at) => (ours[at] !== line ? 1 : 0) + (theirs[at] !== line ? 2 : 0));
  // Adjacent lines changed by different sides: a merge may treat them as one place.
  if (by.some((who, at) => who !== 0 && (by[at + 1] ?? 0) !== 0 && by[at + 1] !== who))
    return { content: UNKNOWN, orConflict: true };
  const content = base.map((line, at) => (by[at] === 2 ? theirs[at] : ours[at]) ?? line).join('\n');
  return { content, orConflict: false };
}

/** Represents content that the model does not predict. */
export const UNKNOWN = '\x01unknown';
