/** What a person wants to take back, and the call that previews and does it. */
import { callVerb, type Input, type Output } from '../api/call.ts';
import { actorName, type Change } from '../data/authors.ts';
import { type JsonName, shownName, shownText } from '../data/names.ts';
import { isIn, numberOf, type Turn } from '../timeline/rows.ts';

/** What a person decided about conflicts. */
export interface Decisions {
  readonly skipConflicts?: boolean;
  readonly ours?: readonly JsonName[];
  readonly theirs?: readonly JsonName[];
  /** Contents merged by hand. */
  readonly resolutions?: readonly { readonly path: JsonName; readonly content: JsonName; readonly ours?: string }[];
  readonly force?: boolean;
  /** Why a plan is applied, or a fork merged, although its checks failed. */
  readonly override?: string;
  /** Checks that run on the merged files before a fork is merged; empty: all. Absent: none. */
  readonly check?: string[];
  /** Checks that run after a plan is applied; empty: all. Absent: none. */
  readonly validate?: string[];
  /** If they find new failures. */
  readonly onFailure?: NonNullable<Input<'planApply'>['onFailure']>;
  /** Whether a plan is merged with what changed since it was made. */
  readonly rebase?: boolean;
}

export interface TakeBackRequest {
  /** Such as `Take back the turn of claude`. */
  readonly title: string;
  readonly selection: Selection;
  /** The word on the button; default: `Take back`. */
  readonly act?: string;
  /** Whether a reason is needed, because checks failed. */
  readonly asksWhy?: boolean;
  /** What was decided about conflicts before the dialog opens. */
  readonly decisions?: Decisions;
  /** Called when it is done. */
  readonly onDone?: () => void;
  /** Called when it is refused, so that what it was decided on is looked at again. */
  readonly onRefused?: () => void;
}

export type Selection =
  | { readonly kind: 'changes'; readonly ids: readonly string[] }
  | { readonly kind: 'hunks'; readonly ids: readonly string[] }
  | { readonly kind: 'lines'; readonly from: string; readonly at: string | null; readonly lines: readonly BackLines[] }
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'agent'; readonly agent: string }
  /** Paths that differ from a checkpoint become equal to it. */
  | { readonly kind: 'paths'; readonly checkpoint: string; readonly paths: readonly JsonName[] }
  /** What an operation did to a path. */
  | { readonly kind: 'undo'; readonly checkpoint: string; readonly path: JsonName }
  | { readonly kind: 'plan'; readonly id: string }
  /** Not taken back, but applied: with the same preview. */
  | { readonly kind: 'apply'; readonly id: string; readonly hasPhases: boolean }
  /** Any call that may have conflicts. */
  | { readonly kind: 'call'; readonly call: TakeBackCall };

type BackLines = NonNullable<Input<'rollback'>['lines']>[number];

export type TakeBackCall =
  | { readonly verb: 'rollback'; readonly input: Input<'rollback'> }
  | { readonly verb: 'restore'; readonly input: Input<'restore'> }
  | { readonly verb: 'planRollback'; readonly input: Input<'planRollback'> }
  | { readonly verb: 'planApply'; readonly input: Input<'planApply'> }
  | { readonly verb: 'undo'; readonly input: Input<'undo'> }
  | { readonly verb: 'redo'; readonly input: Input<'redo'> }
  | MergeCall;

export interface MergeCall {
  readonly verb: 'forkMerge';
  readonly input: Input<'forkMerge'>;
}

export type Preview = Output<TakeBackCall['verb']>;

export function turnRequest(turn: Turn): TakeBackRequest {
  return { title: `Take back the turn of ${shownText(actorName(turn.actor))}`, selection: { kind: 'turn', turn } };
}

/** Everything that is in effect of an agent, of all of its sessions. */
export function agentRequest(agent: string): TakeBackRequest {
  return { title: `Take back everything that ${shownText(agent)} changed`, selection: { kind: 'agent', agent } };
}

export function fileRequest(path: JsonName, ids: readonly string[]): TakeBackRequest {
  return { title: `Take back the changes of ${shownName(path)}`, selection: { kind: 'changes', ids } };
}

export function hunkRequest(path: JsonName, ids: readonly string[]): TakeBackRequest {
  return { title: `Take back a part of ${shownName(path)}`, selection: { kind: 'hunks', ids } };
}

export function undoRequest(checkpoint: string, path: JsonName): TakeBackRequest {
  return { title: `Undo ${checkpoint}`, selection: { kind: 'undo', checkpoint, path }, act: 'Undo' };
}

export interface LinesToTakeBack {
  readonly path: JsonName;
  /** Numbers in the text after, which go, and in the text before, which come back. */
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/** Lines of a net difference, by any author. @param at null: the folder as it is now */
export function linesRequest(
  from: string,
  at: string | null,
  { path, added, removed }: LinesToTakeBack,
): TakeBackRequest {
  const lines = [...ranges(added, path, 'after'), ...ranges(removed, path, 'before')];
  return { title: `Take back lines of ${shownName(path)}`, selection: { kind: 'lines', from, at, lines } };
}

export async function callFor(workspace: string, selection: Selection): Promise<TakeBackCall> {
  switch (selection.kind) {
    case 'changes':
      return { verb: 'rollback', input: { changes: [...selection.ids] } };
    case 'hunks':
      return { verb: 'rollback', input: { hunks: [...selection.ids] } };
    case 'lines': {
      const { from, at, lines } = selection;
      return { verb: 'rollback', input: { lines: [...lines], after: from, ...(at === null ? {} : { at }) } };
    }
    case 'turn': {
      const changes = await changesOfTurn(workspace, selection.turn);
      return { verb: 'rollback', input: { changes: changes.map(({ id }) => id) } };
    }
    case 'agent':
      return { verb: 'rollback', input: { agent: selection.agent, likely: true } };
    case 'paths':
      return {
        verb: 'restore',
        input: { checkpoint: selection.checkpoint, paths: [...selection.paths], mode: 'exact' },
      };
    case 'undo':
      return undoCall(workspace, selection.checkpoint, selection.path);
    case 'plan':
      return { verb: 'planRollback', input: { id: selection.id } };
    case 'apply':
      return { verb: 'planApply', input: { id: selection.id } };
    case 'call':
      return selection.call;
  }
}

/** The last operation is undone as a whole; of an earlier one, what it did to the path is reverted. */
async function undoCall(workspace: string, checkpoint: string, path: JsonName): Promise<TakeBackCall> {
  // It fails if there is nothing to undo any more.
  const last = await callVerb(workspace, 'undo', { dryRun: true }).catch(() => null);
  if (last?.output.undoes === checkpoint) return { verb: 'undo', input: {} };
  const before = `cp_${numberOf(checkpoint) + 1}.1`;
  const { output } = await callVerb(workspace, 'history', { file: path, before, limit: MOST_OF_ONE_OPERATION });
  const changes = output.changes.filter((change) => change.checkpoint === checkpoint).map(({ id }) => id);
  return { verb: 'rollback', input: { changes } };
}

const MOST_OF_ONE_OPERATION = 10;

function ranges(numbers: readonly number[], path: JsonName, side: 'before' | 'after'): readonly BackLines[] {
  const found: { path: JsonName; first: number; last: number; side: 'before' | 'after' }[] = [];
  for (const line of numbers) {
    const last = found.at(-1);
    if (last !== undefined && last.last === line - 1) last.last = line;
    else found.push({ path, first: line, last: line, side });
  }
  return found;
}

async function changesOfTurn(workspace: string, turn: Turn): Promise<readonly Change[]> {
  const { output } = await callVerb(workspace, 'history', {
    session: turn.session,
    before: `cp_${numberOf(turn.after ?? turn.place) + 1}.1`,
    limit: Math.max(1, turn.changes * 2 + 100),
  });
  return output.changes.filter((change) => change.takenBack === null && isIn(turn, numberOf(change.checkpoint)));
}
