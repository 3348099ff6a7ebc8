/** A command of Savepoint that a person typed at the prompt of an agent. */

/** What to do if both agents and others changed files since the checkpoint. */
export type RestoreMode = 'keep-outside' | 'exact';

export type SlashRequest =
  | { readonly kind: 'list' | 'turns' | 'undo' | 'redo' }
  /** It is none of the forms. */
  | { readonly kind: 'usage' }
  | { readonly kind: 'show' | 'diff'; readonly checkpoint: string }
  | { readonly kind: 'restore'; readonly checkpoint: string; readonly mode: RestoreMode | null }
  /** Back to before a turn. @param turn its number in the list of `turns`, from 1 */
  | { readonly kind: 'rewind'; readonly turn: number; readonly mode: RestoreMode | null }
  | { readonly kind: 'create'; readonly message: string | null };

export interface TypedCommand<Request = SlashRequest> {
  /** How a command begins where it was typed: `/savepoint:`. */
  readonly prefix: string;
  readonly request: Request;
}

export type RunnableCommand = TypedCommand<Exclude<SlashRequest, { readonly kind: 'usage' }>>;
