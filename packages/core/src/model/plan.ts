/** The data of plans: proposed changes that are not applied yet. */

import type { Comparison } from './check-outcome.ts';
import type { Actor, Authorship } from './checkpoint.ts';
import type { Snapshot } from './entries.ts';
import type { CallId, CheckpointId, ObjectId, PlanId, SessionId } from './ids.ts';
import type { TreePath } from './names.ts';

/** Where the proposed files of a plan came from. */
export const PLAN_SOURCES = ['edits', 'patch', 'branch', 'worktree', 'fork', 'try', 'isolated'] as const;

export type PlanSource = (typeof PLAN_SOURCES)[number];

/**
 * - `pending`: it waits for a review
 * - `approved`: a person approved exactly what would be applied now
 * - `applied`: it was applied, or all of its phases were
 * - `rolled-back`: it was applied, and the workspace went back to before it
 * - `cancelled`: it will not be applied
 */
export type PlanStatus = 'pending' | 'approved' | 'applied' | 'rolled-back' | 'cancelled';

/**
 * - `proposed`: the files as proposed
 * - `selected`: what would be applied, without what was rejected
 * - `base`: the files that it was proposed on
 */
export const PLAN_STATES = ['proposed', 'selected', 'base'] as const;

export type PlanState = (typeof PLAN_STATES)[number];

/** Who did something to a plan, and when. */
export interface PlanAct {
  readonly by: Actor;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** What a review decided about a change, or about one of its hunks. What is not decided is included. */
export interface PlanDecision extends PlanAct {
  readonly path: TreePath;
  /** Digest of the hunk's lines, which stays the same when other hunks are revised. Null: the whole change. */
  readonly hunk: string | null;
  readonly accepted: boolean;
}

/** An approval of a plan: by whom, and of exactly what. */
export interface PlanApproval extends PlanAct {
  /** Of exactly what was approved. */
  readonly fingerprint: string;
  /** Whether a policy of the user allowed it, so that no person looked at it. */
  readonly isByPolicy: boolean;
}

/** Words of a person about a revision, for its author. */
export interface PlanWords extends PlanAct {
  readonly text: string;
  readonly revision: number;
}

/** Why a plan may be applied although its checks failed. */
export interface PlanOverride extends PlanAct {
  readonly why: string;
  readonly fingerprint: string;
}

/** An application of a plan. One that changed files counts only if its checkpoint exists and says that it applied the plan. */
export interface PlanApplication extends PlanAct {
  /** The number of the checkpoint after. If nothing had to be changed, that of the newest checkpoint then. */
  readonly checkpoint: number;
  /** Whether the files were already as the plan wants them, so that it made no checkpoint. */
  readonly isEmpty: boolean;
  /** Index of the phase; null: the whole plan. */
  readonly phase: number | null;
  /** Only these paths, which an earlier application left out. Null: all of the phase or plan. */
  readonly paths: readonly TreePath[] | null;
  /** What it left out, because that did not merge with the folder. A later application can try it again. */
  readonly left: readonly TreePath[];
  readonly fingerprint: string;
  /** The approval that it had. A later one replaces that of the plan. */
  readonly approval: PlanApproval;
  /** The checks after it; null: none ran. */
  readonly validation: PlanChecks | null;
}

/** A commit of a plan's files. It is recorded before the branch moves there, so the branch may not have it. */
export interface PlanCommitMade {
  /** The repository's folder, relative to the workspace. */
  readonly root: TreePath;
  readonly commit: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A part of a plan that is applied and checked on its own. */
export interface PlanPhase {
  /** Unique in the plan. */
  readonly name: string;
  /** These paths and everything below them. What no phase names belongs to the last one. */
  readonly paths: readonly TreePath[];
}

/** The result of one check, in a form that is kept. */
export interface PlanCheckResult {
  readonly name: string;
  readonly comparison: Comparison;
  readonly outcome: string;
  /** Why nothing can be said; one line. */
  readonly why: string | null;
  /** The number of the checkpoint with the folder that it was compared with. */
  readonly base: number;
  /** One line for each new failure, at most a few hundred. */
  readonly failures: readonly string[];
  /** The number of new failures, including those that are not in the list. */
  readonly failed: number;
}

/** What the project's checks said about exactly what has the fingerprint. */
export interface PlanChecks extends PlanAct {
  readonly fingerprint: string;
  readonly results: readonly PlanCheckResult[];
}

/** Who made the proposed changes of some paths. */
export interface PlanAuthors extends Authorship {
  readonly paths: readonly TreePath[];
}

/** A proposed file that needs another file. */
export interface PlanDependency {
  readonly path: TreePath;
  readonly needs: TreePath;
}

/** Something that an analysis of the code says about a plan, in a form that is kept. */
export interface PlanFinding {
  /** Only `breaks` is proven. */
  readonly class: 'breaks' | 'follows' | 'may-be-affected';
  /** Such as `removed-export`. */
  readonly rule: string;
  readonly path: TreePath;
  /** In the checked state, from 1; null: it is about the whole file. */
  readonly line: number | null;
  readonly message: string;
  /** The index of the finding that it follows from. */
  readonly follows: number | null;
  readonly evidence: readonly PlanFindingEvidence[];
}

/** A place that shows a finding. */
export interface PlanFindingEvidence {
  readonly path: TreePath;
  readonly line: number | null;
  /** Before the plan, or with it. */
  readonly state: 'base' | 'proposed';
  readonly text: string;
}

/** Something that the analysis could not say: why, about which language or type checker, and about how many files. */
export interface PlanUnsaid {
  readonly reason: string;
  readonly language: string | null;
  readonly files: number;
  /** Of a type checker: one sentence. */
  readonly message: string | null;
}

/** What an analysis of the code said about exactly what has the fingerprint. */
export interface PlanAnalysis extends PlanAct {
  readonly fingerprint: string;
  /** The number of the checkpoint with the folder that it was applied to. */
  readonly base: number;
  /** The worst first, at most a few hundred. */
  readonly findings: readonly PlanFinding[];
  /** How many more there are. */
  readonly omitted: number;
  /** The number of those that are proven, including those that are not in the list. */
  readonly breaks: number;
  readonly dependencies: readonly PlanDependency[];
  readonly unsaid: readonly PlanUnsaid[];
}

/** Everything about a plan but its files. */
export interface PlanInfo {
  readonly id: PlanId;
  /** What it is for, in the words of its author. */
  readonly intent: string;
  readonly proposedBy: Actor;
  /** Of the changes that are not by the one who proposed them, such as those of a fork. */
  readonly authors: readonly PlanAuthors[];
  readonly session: SessionId | null;
  readonly call: CallId | null;
  /** To the agent that made it in a copy, the oldest first. Every program in the copy could write them. */
  readonly prompts: readonly string[];
  readonly source: PlanSource;
  /** Such as the name of a fork or branch; null if there is none. */
  readonly sourceName: string | null;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** Starts at 1. */
  readonly revision: number;
  /** The number of the checkpoint that it was proposed on. */
  readonly base: number;
  readonly decisions: readonly PlanDecision[];
  readonly approval: PlanApproval | null;
  readonly words: readonly PlanWords[];
  readonly checks: PlanChecks | null;
  /** Null: its code was not analysed. */
  readonly analysis: PlanAnalysis | null;
  readonly override: PlanOverride | null;
  readonly phases: readonly PlanPhase[];
  readonly applications: readonly PlanApplication[];
  readonly commits: readonly PlanCommitMade[];
  /** How often its checks, before or after it was applied, found new failures. */
  readonly failedRuns: number;
  readonly cancelled: PlanAct | null;
}

/** A plan with its files. */
export interface Plan extends PlanInfo {
  /** The files that it was proposed on. */
  readonly before: Snapshot;
  /** The files as proposed. */
  readonly proposed: Snapshot;
  /** The blob with its changes as they are listed, which follow from the files; null: it was not kept. */
  readonly listing: ObjectId | null;
}

/** What happened to a plan of a session since the last report to its agent. */
export interface PlanNews {
  readonly id: PlanId;
  readonly intent: string;
  readonly revision: number;
  readonly status: PlanStatus;
  /** What is to be changed, the oldest first. */
  readonly words: readonly string[];
  readonly rejected: readonly {
    readonly path: TreePath;
    /** A hunk, and its lines in the proposed file, from 1, with the unchanged ones around them. Null: the whole change. */
    readonly hunk: { readonly number: number; readonly start: number; readonly count: number } | null;
  }[];
  /** A person applied it, or a phase of it. */
  readonly applied: readonly {
    /** Null: its files were already as it says. */
    readonly checkpoint: CheckpointId | null;
    /** What was left out because it did not merge. */
    readonly left: readonly TreePath[];
  }[];
  readonly isCancelled: boolean;
}
