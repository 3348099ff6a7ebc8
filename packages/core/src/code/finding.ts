/** What an analysis of the code says about a change. */

import type { TreePath } from '../model/names.ts';

/**
 * - `breaks`: proven, by resolution or by the project's own type checker
 * - `follows`: a consequence of another finding
 * - `may-be-affected`: it uses what changed
 */
export const FINDING_CLASSES = ['breaks', 'follows', 'may-be-affected'] as const;

export type FindingClass = (typeof FINDING_CLASSES)[number];

export const FINDING_RULES = [
  'syntax-error',
  'unresolved-import',
  'unresolved-name',
  'import-cycle',
  'removed-export',
  'changed-export',
  'removed-method',
  'type-error',
  'broken-api',
  'untested-change',
] as const;

export type FindingRule = (typeof FINDING_RULES)[number];

/** Only what is new against the base is a finding. */
export interface CodeFinding {
  readonly class: FindingClass;
  readonly rule: FindingRule;
  readonly path: TreePath;
  /** In the proposed state, from 1; null: it is about the whole file. */
  readonly line: number | null;
  /** One sentence. */
  readonly message: string;
  /** Places that show it, such as the definition that was removed. */
  readonly evidence: readonly Evidence[];
  /** For `follows`: the index of the finding that it follows from. */
  readonly follows: number | null;
}

export interface Evidence {
  readonly path: TreePath;
  readonly line: number | null;
  /** Which state: the one before the change, or the proposed one. */
  readonly state: 'base' | 'proposed';
  readonly text: string;
}
