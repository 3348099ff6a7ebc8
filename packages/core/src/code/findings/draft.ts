import type { TreePath } from '../../model/names.ts';
import type { CodeFinding, FindingClass, FindingRule } from '../finding.ts';
import type { CodeGraph } from '../graph/graph.ts';

/** Both states of a change, as the rules see them. */
export interface Change {
  readonly base: CodeGraph;
  readonly proposed: CodeGraph;
  /** All files that differ. */
  readonly changed: ReadonlySet<TreePath>;
  /** Of the proposed state: the files with another node than before. */
  readonly renewed: ReadonlySet<TreePath>;
  /** New names of files that were moved, by their old names. */
  readonly moved: ReadonlyMap<TreePath, TreePath>;
  /** The reverse. */
  readonly movedFrom: ReadonlyMap<TreePath, TreePath>;
  /** Whether findings in this file may be of the class `breaks`. */
  isMeasured(path: TreePath): boolean;
  /** Whether code of this file may use this name without a definition or an import. */
  isOwnName(path: TreePath, name: string): boolean;
  /** Whether a member of this name proves nothing in this file: the language's own types have one. */
  isOwnMember(path: TreePath, name: string): boolean;
}

/** A finding while others are still looked for. */
export interface Draft extends Omit<CodeFinding, 'follows'> {
  /** What it follows from: one of the keys of another draft. */
  readonly follows?: string;
  /** Whether it is none without the other one. */
  readonly onlyFollows?: boolean;
  /** What others follow from. */
  readonly keys?: readonly string[];
}

export function exportKey(path: TreePath, name: string): string {
  return `export\0${path}\0${name}`;
}

export function brokenFileKey(path: TreePath): string {
  return `syntax\0${path}`;
}

/** Removes duplicates, sorts the worst first, and links what follows from others. */
export function findingsOf(drafts: readonly Draft[], change: Change): readonly CodeFinding[] {
  const keys = new Set(drafts.flatMap(({ keys: of }) => of ?? []));
  const isFollowing = ({ follows }: Draft): boolean => follows !== undefined && keys.has(follows);
  const valid = drafts.filter((one) => !one.onlyFollows || isFollowing(one));
  const measured = valid.map((draft): Draft => {
    if (isFollowing(draft)) return { ...draft, class: 'follows' };
    const isSure = change.isMeasured(draft.path) && !isExpected(draft, change);
    return draft.class === 'breaks' && !isSure ? { ...draft, class: 'may-be-affected' } : draft;
  });
  const unique = [
    ...new Map(measured.map((one) => [`${one.rule}\0${one.path}\0${one.line}\0${one.message}`, one])).values(),
  ];
  unique.sort(worstFirst);
  const indexes = new Map(unique.flatMap(({ keys: of }, nth) => (of ?? []).map((key) => [key, nth] as const)));
  return unique.map(({ keys: _keys, onlyFollows: _only, follows, ...finding }) => ({
    ...finding,
    follows: finding.class === 'follows' && follows !== undefined ? (indexes.get(follows) ?? null) : null,
  }));
}

/** The order of findings. */
export function worstFirst(one: Ranked, other: Ranked): number {
  return rank(one) - rank(other) || compare(one.path, other.path) || (one.line ?? 0) - (other.line ?? 0);
}

/** Whether the code says that it expects an error there. */
function isExpected({ path, line }: Draft, { proposed }: Change): boolean {
  return line !== null && (proposed.nodes.get(path)?.facts.expectedErrors?.includes(line) ?? false);
}

type Ranked = Pick<CodeFinding, 'class' | 'rule' | 'path' | 'line'>;

const RULE_ORDER: readonly FindingRule[] = ['syntax-error', 'unresolved-import', 'removed-export', 'unresolved-name'];
const CLASS_ORDER: readonly FindingClass[] = ['breaks', 'follows', 'may-be-affected'];

function rank({ class: of, rule }: Ranked): number {
  const nth = RULE_ORDER.indexOf(rule);
  return CLASS_ORDER.indexOf(of) * 100 + (nth < 0 ? RULE_ORDER.length : nth);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
