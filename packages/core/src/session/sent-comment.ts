import type { Comment } from '../model/comment.ts';

/** A comment of a person that its agent gets now. */
export interface SentComment {
  readonly comment: Comment;
  /** Where its lines are now, from 1; null: they are gone. */
  readonly place: { readonly first: number; readonly last: number } | null;
}
