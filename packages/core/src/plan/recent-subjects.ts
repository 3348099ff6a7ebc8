/** The subjects of the latest commits of a repository. */

import type { GitObjects } from '../git/objects.ts';
import { isObjectId } from '../model/ids.ts';
import { decodeCommit } from '../store/objects/commit.ts';

const RECENT = 20;

/** The newest first, without merges. */
export function recentSubjects(objects: GitObjects, head: string): readonly string[] {
  const found: string[] = [];
  for (let at: string | undefined = head; at !== undefined && isObjectId(at) && found.length < RECENT; ) {
    if (!objects.has(at)) break;
    const commit = decodeCommit(objects.readerFor(at).read(at).data, at);
    if (commit.parents.length < 2) found.push(commit.message.split('\n')[0] ?? '');
    at = commit.parents[0];
  }
  return found;
}
