/** Comments of people on lines that agents changed or proposed. */

import type { Actor } from './checkpoint.ts';
import type { PlanId, SessionId } from './ids.ts';
import type { TreePath } from './names.ts';
import type { PlanAct } from './plan.ts';

/** `cm_` and 8 hex digits, random. */
export type CommentId = `cm_${string}`;

export const COMMENT_ID = /^cm_[0-9a-f]{8}$/;

/** `before`: lines that the change removed, or lines as they were before it. */
export const COMMENT_SIDES = ['before', 'after'] as const;

export type CommentSide = (typeof COMMENT_SIDES)[number];

/** The lines that a comment is about, as they were when it was made. */
export interface CommentAnchor {
  /** The plan that proposes the lines; null: they are in the folder or a checkpoint. */
  readonly plan: { readonly id: PlanId; readonly revision: number } | null;
  /** The number of the checkpoint that has the lines, or that was the last one when they were in the folder or in a plan. */
  readonly checkpoint: number;
  readonly path: TreePath;
  readonly side: CommentSide;
  /** From 1. */
  readonly first: number;
  readonly last: number;
  /** Their text, one character per byte. */
  readonly lines: string;
  /** A few lines in front of them and behind them, which tell equal lines apart. */
  readonly above: string;
  readonly below: string;
}

/** How a comment reached an agent. */
export interface CommentDelivery {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly agent: string;
  readonly session: SessionId | null;
}

/** What a person says about some lines, for the agent that wrote them. */
export interface Comment {
  readonly id: CommentId;
  readonly by: Actor;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
  readonly anchor: CommentAnchor;
  /** The agent that it is for; null: whichever comes next. */
  readonly agent: string | null;
  /** The session that wrote the lines; null: none is known. */
  readonly session: SessionId | null;
  /** Null: no agent has it yet. */
  readonly sent: CommentDelivery | null;
  readonly resolved: PlanAct | null;
}

/** A comment of a person that its agent gets now. */
export interface SentComment {
  readonly comment: Comment;
  /** Where its lines are now, from 1; null: they are gone. */
  readonly place: { readonly first: number; readonly last: number } | null;
}

/** `open`: no agent has it yet; `sent`: one has; `resolved`: a person has marked it so. */
export type CommentStatus = 'open' | 'sent' | 'resolved';

export function commentStatus({ sent, resolved }: Comment): CommentStatus {
  if (resolved !== null) return 'resolved';
  return sent === null ? 'open' : 'sent';
}
