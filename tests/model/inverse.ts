/** What taking an act back has to do, told path by path, with no code of the engine. */

import type { Tree } from '../simulated.ts';
import { contentOf, isBelow, kindOf, modeOf, type Node, parentOf } from './tree.ts';

/**
 * What must come of taking `base → theirs`'s opposite onto `now`: the tree, `null` where it has to be a conflict, or
 * 'either' where lines that were changed lie so close that either answer is right.
 */
export type Verdict = { readonly tree: Tree; readonly orConflict: boolean } | null;

/**
 * @param base the state that the act left
 * @param theirs the state that it found, which is to come back
 * @param now base, with what somebody changed since
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
  // A folder goes only if everything in it goes.
  for (const path of goingFolders) {
    const stays = [...result.keys()].some((each) => isBelow(each, path));
    if (!stays) continue;
    if (theirs.get(path) !== undefined) return null;
    result.set(path, now.get(path) as Node);
  }
  // What comes back needs its folders, also those that somebody removed since.
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
    return { node: today as Node, orConflict: false }; // someone changed its permissions since: theirs
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
  // Lines came or went: what a merge makes of that is tested where the merge is.
  if (base.length !== ours.length || base.length !== theirs.length) return { content: UNKNOWN, orConflict: true };
  // Lines that are alike can be matched in more than one way.
  if ([base, ours, theirs].some((lines) => new Set(lines).size < lines.length))
    return { content: UNKNOWN, orConflict: true };
  if (base.some((line, at) => ours[at] !== line && theirs[at] !== line && ours[at] !== theirs[at])) return null;
  const by = base.map((line, at) => (ours[at] !== line ? 1 : 0) + (theirs[at] !== line ? 2 : 0));
  // Side by side, changed by one and by the other: a merge may take it for one place.
  if (by.some((who, at) => who !== 0 && (by[at + 1] ?? 0) !== 0 && by[at + 1] !== who))
    return { content: UNKNOWN, orConflict: true };
  const content = base.map((line, at) => (by[at] === 2 ? theirs[at] : ours[at]) ?? line).join('\n');
  return { content, orConflict: false };
}

/** Stands for content that the model does not foretell. */
export const UNKNOWN = '\x01unknown';
