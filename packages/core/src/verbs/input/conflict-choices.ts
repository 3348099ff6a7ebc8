/** How callers resolve conflicts, and look at them: the same fields in every verb that goes back. */
import { showName } from '../../content/show-name.ts';
import type { MergeSide } from '../../content/three-way.ts';
import type { ConflictOptions } from '../../engine/conflict-options.ts';
import { treePathOf } from '../../io/locate-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { exactName, type JsonName, nameFromJson, type TreePath } from '../../model/names.ts';
import type { Resolution } from '../../rewind/conflict-choices.ts';
import type { Savepoint } from '../../savepoint.ts';
import { withoutUndefined } from '../verb.ts';

export interface ConflictInput {
  readonly ours?: readonly JsonName[] | undefined;
  readonly theirs?: readonly JsonName[] | undefined;
  readonly skipConflicts?: boolean | undefined;
  readonly resolutions?:
    | readonly { readonly path: JsonName; readonly content: JsonName; readonly ours?: string | undefined }[]
    | undefined;
  readonly detail?:
    | { readonly patch?: boolean | undefined; readonly sides?: readonly JsonName[] | undefined }
    | undefined;
}

/** @throws SavepointError USAGE if a path is resolved in two ways */
export async function conflictChoicesOf(savepoint: Savepoint, input: ConflictInput): Promise<ConflictOptions> {
  const { skipConflicts, detail: wanted } = input;
  const given = [input.ours, input.theirs, input.resolutions, wanted?.sides].some((list) => (list ?? []).length > 0);
  if (!given) return withoutUndefined({ skipConflicts, detail: wanted && withoutUndefined(wanted) });
  const place = await savepoint.place();
  const prefer = new Map<TreePath, MergeSide>();
  const resolutions = new Map<TreePath, Resolution>();
  for (const path of (input.ours ?? []).map((each) => treePathOf(place, each))) prefer.set(path, 'ours');
  for (const path of (input.theirs ?? []).map((each) => treePathOf(place, each))) {
    if (prefer.get(path) === 'ours') throwTwice(path, 'Both --ours and --theirs name', '--theirs');
    prefer.set(path, 'theirs');
  }
  for (const { path: name, content, ours } of input.resolutions ?? []) {
    const path = treePathOf(place, name);
    if (prefer.has(path) || resolutions.has(path))
      throwTwice(path, 'There is more than one decision for', 'resolutions');
    resolutions.set(path, { content: Buffer.from(nameFromJson(content), 'latin1'), ...withoutUndefined({ ours }) });
  }
  const sides = (wanted?.sides ?? []).map((each) => exactName(treePathOf(place, each)));
  const detail = wanted && withoutUndefined({ patch: wanted.patch, sides });
  return { prefer: exactly(prefer), resolutions: exactly(resolutions), ...withoutUndefined({ skipConflicts, detail }) };
}

function exactly<T>(choices: ReadonlyMap<TreePath, T>): ReadonlyMap<JsonName, T> {
  return new Map([...choices].map(([path, choice]) => [exactName(path), choice]));
}

function throwTwice(path: TreePath, what: string, argument: string): never {
  throw new SavepointError(
    'USAGE',
    `${what} ${showName(path)}.`,
    { argument },
    { hint: 'Nothing was changed. Name each path only once.' },
  );
}
