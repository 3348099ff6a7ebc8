/** Puts findings in the order in which a person reads them: each cause once, with its places and what follows from it. */

export interface FindingToGroup {
  readonly class: string;
  readonly rule: string;
  readonly message: string;
  /** The path of the finding. Compared as JSON, as what `evidence` has. */
  readonly path: unknown;
  readonly evidence: readonly { readonly path: unknown }[];
  /** The index of the finding that it follows from. */
  readonly follows: number | null;
}

/** Findings that say the same of other places, such as of all files that use an export that is gone. */
export interface FindingCause<Finding> {
  /** At least one. */
  readonly places: readonly [Finding, ...Finding[]];
  /** Also consequences of consequences. */
  readonly following: readonly Finding[];
}

/** In the order of the first place of each. */
export function findingCauses<Finding extends FindingToGroup>(
  findings: readonly Finding[],
): readonly FindingCause<Finding>[] {
  const following = new Map<number, number[]>();
  const groups = new Map<string, number[]>();
  for (const [index, finding] of findings.entries()) {
    if (finding.follows === null) add(groups, causeKey(finding), index);
    else add(following, finding.follows, index);
  }
  const at = (index: number): Finding => findings[index] as Finding;
  return [...groups.values()].map(([first = 0, ...others]) => ({
    places: [at(first), ...others.map(at)],
    following: consequencesOf([first, ...others], following).map(at),
  }));
}

function causeKey({ class: of, rule, message, path, evidence }: FindingToGroup): string {
  const own = JSON.stringify(path);
  // What a type checker says about the place itself differs.
  const others = evidence.filter((place) => JSON.stringify(place.path) !== own);
  return JSON.stringify([of, rule, message, others]);
}

function consequencesOf(
  causes: readonly number[],
  following: ReadonlyMap<number, readonly number[]>,
): readonly number[] {
  const all = new Set(causes.flatMap((cause) => following.get(cause) ?? []));
  for (const one of all) for (const next of following.get(one) ?? []) all.add(next);
  return [...all];
}

function add<Key>(lists: Map<Key, number[]>, key: Key, item: number): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [item]);
  else known.push(item);
}
