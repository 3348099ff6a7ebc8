/** Answers of operations that revert or restore, for a model: the fields, and the same as lines of text. */
import { showContent, showText, wouldDo } from '../../content/show-name.ts';
import { type JsonName, nameFromJson } from '../../model/names.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import {
  type CaptureAnswer,
  type CheckpointRow,
  captureAnswer,
  captureLines,
  checkpointLine,
  checkpointRow,
  type Refusal,
} from './checkpoints.ts';
import { present } from './fields.ts';
import { countText, pathText } from './text.ts';

type OperationJson = Omit<
  OutputOf<typeof VERBS.undo>,
  'undoes' | 'openCalls' | 'restored' | 'conversationRewound' | 'error'
>;
type RestoreJson = OutputOf<typeof VERBS.restore>;
type RollbackJson = OutputOf<typeof VERBS.rollback>;

export interface OperationAnswer extends CaptureAnswer {
  readonly outcome: OperationJson['outcome'];
  readonly dry_run?: true;
  readonly description: string;
  readonly paths: readonly PathRow[];
  readonly conflicts?: readonly (Refusal & { readonly lines?: JsonName })[];
  readonly refused?: readonly Refusal[];
  readonly unchanged?: readonly Refusal[];
  readonly notes?: OperationJson['plan']['notes'];
  readonly repositories?: readonly RepositoryRow[];
  /** Files that another program wrote to meanwhile, and where that data is. */
  readonly kept_files?: OperationJson['keptFiles'];
  readonly checkpoint_before?: string;
  readonly checkpoint_after?: string;
  readonly undoes?: string;
}

interface PathRow {
  readonly operation: string;
  readonly path: JsonName;
  readonly merged?: true;
}

interface RepositoryRow {
  readonly path: JsonName;
  readonly note: string;
}

export interface RestoreAnswer extends OperationAnswer {
  readonly target: string;
  /** Both have changed paths since the target, so a mode must be chosen. */
  readonly parties?: NonNullable<RestoreJson['parties']>;
  /** Earlier states that differ, if there was nothing to restore. */
  readonly alternatives?: readonly {
    readonly name: string;
    readonly files: number;
    readonly checkpoint: CheckpointRow;
  }[];
}

export interface RollbackAnswer extends OperationAnswer {
  readonly changes?: readonly string[];
  /** Matching changes and paths that were left alone. */
  readonly left?: readonly LeftRow[];
  /** Checkpoints that may have more matching changes. */
  readonly incomplete?: RollbackJson['incomplete'];
  readonly open_calls?: readonly { readonly agent: string; readonly tool: string; readonly summary: string }[];
  readonly hunks?: readonly { readonly id: string; readonly before: number[]; readonly after: number[] }[];
}

interface LeftRow {
  readonly id?: string;
  readonly path: JsonName;
  readonly why: string;
  readonly grade?: 'likely' | 'open';
}

export interface InverseAnswer extends OperationAnswer {
  readonly open_calls?: NonNullable<RollbackAnswer['open_calls']>;
}

export function inverseAnswer(output: OutputOf<typeof VERBS.undo>): InverseAnswer {
  return {
    ...operationAnswer(output),
    ...present<Pick<InverseAnswer, 'open_calls'>>({ open_calls: openCallRows(output) }),
  };
}

export function inverseLines(answer: InverseAnswer): string[] {
  return [...operationLines(answer), ...openCallLines(answer)];
}

export function operationAnswer(operation: OperationJson & { readonly undoes?: string | null }): OperationAnswer {
  const { outcome, dryRun, description, plan, heads, headMoved, repositoriesGone, keptFiles } = operation;
  const isDone = outcome === 'done';
  const before = isDone ? operation.before : null;
  const after = isDone ? operation.checkpoint : null;
  return {
    outcome,
    ...(dryRun ? { dry_run: true as const } : {}),
    // A preview must not read as if it was done.
    description: dryRun ? wouldDo(description) : description,
    paths: plan.paths.map(({ path, operation: what, merged }) =>
      present<PathRow>({ operation: what, path, merged: merged || null }),
    ),
    ...present<Omit<OperationAnswer, 'outcome' | 'dry_run' | 'description' | 'paths'>>({
      conflicts: plan.conflicts.map(({ path, why, sides }) => present({ path, why, lines: sides?.text })),
      refused: plan.refused,
      unchanged: plan.kept,
      notes: plan.notes,
      repositories: [
        ...heads.map((head) => ({ path: head.path, note: headText(head) })),
        ...headMoved.map(({ path }) => ({ path, note: 'branch or commit has changed since; only files are restored' })),
        ...repositoriesGone.map((path) => ({ path, note: '.git no longer exists and is not restored' })),
      ],
      kept_files: keptFiles,
      checkpoint_before: before?.id,
      checkpoint_after: after?.id,
      undoes: operation.undoes,
      ...captureAnswer(operation.capture),
    }),
  };
}

export function operationLines(answer: OperationAnswer): string[] {
  const { outcome, description, paths } = answer;
  const count = countText(paths.length, 'path');
  const preview = `Preview: ${showText(description)} (${count})`;
  const beginnings: Record<OperationJson['outcome'], string> = {
    done: `Done: ${showText(description)} (${count})`,
    nothing: `Nothing to do: ${showText(description)}`,
    ready: preview,
    conflict: `${preview}, but would fail because of conflicts (CONFLICT)`,
    refused: `${preview}, but would be refused`,
  };
  return [
    beginnings[outcome],
    ...(answer.undoes === undefined ? [] : [`It reverts ${answer.undoes}.`]),
    ...paths.map(
      ({ path, operation, merged }) => `  ${operation}  ${pathText(path)}${merged === true ? '  (merged)' : ''}`,
    ),
    ...(answer.conflicts ?? []).flatMap(({ path, why, lines }) => [
      `  conflict  ${pathText(path)}: ${showText(why)}`,
      ...(lines === undefined ? [] : [showContent(nameFromJson(lines))]),
    ]),
    ...(answer.refused ?? []).map(({ path, why }) => `  refused  ${pathText(path)}: ${showText(why)}`),
    ...(answer.unchanged ?? []).map(({ path, why }) => `  unchanged  ${pathText(path)}: ${showText(why)}`),
    ...(answer.notes ?? []).map(({ path, note }) => `  ${pathText(path)} ${showText(note)}`),
    ...(answer.repositories ?? []).map(({ path, note }) => `  ${pathText(path)}: ${note}`),
    ...(answer.kept_files ?? []).map(
      ({ path, backup }) =>
        `  ${pathText(path)}: another program wrote to it meanwhile; its data is in ${pathText(backup)}`,
    ),
    ...captureLines(answer),
    ...(answer.checkpoint_before === undefined ? [] : [`Checkpoint before: ${answer.checkpoint_before}`]),
    ...(answer.checkpoint_after === undefined ? [] : [`Checkpoint now: ${answer.checkpoint_after}`]),
  ];
}

export function restoreAnswer(output: RestoreJson): RestoreAnswer {
  const { target, parties } = output;
  const alternatives = output.alternatives.map(({ name, files, checkpoint }) => ({
    name,
    files,
    checkpoint: checkpointRow(checkpoint),
  }));
  return {
    ...operationAnswer(output),
    target: target.id,
    ...(parties === null ? {} : { parties }),
    ...(alternatives.length === 0 ? {} : { alternatives }),
  };
}

export function restoreLines(answer: RestoreAnswer): string[] {
  const { target, parties } = answer;
  return [
    ...operationLines(answer),
    `Target: ${target}`,
    ...(parties === undefined
      ? []
      : [
          `${mixedAuthorsText(parties.agents)}. Choose a mode: exact or keep-outside. Changed by others, or possibly by others:`,
          ...parties.outside.map((path) => `  ${pathText(path)}`),
        ]),
    ...(answer.alternatives ?? []).map(
      ({ name, checkpoint, files }) =>
        `${files} ${files === 1 ? 'path differs' : 'paths differ'} from ${name}: ${checkpointLine(checkpoint)}`,
    ),
  ];
}

export function rollbackAnswer(output: RollbackJson): RollbackAnswer {
  const skippedPaths = output.results.filter(({ result }) => result === 'skipped');
  return {
    ...operationAnswer(output),
    ...present<Omit<RollbackAnswer, keyof OperationAnswer>>({
      changes: output.changes,
      left: [
        ...skippedPaths.map(({ path, why }) => ({ path, why: why ?? '' })),
        ...output.skipped.map(({ id, path, why, grade }) => present<LeftRow>({ id, path, why, grade })),
      ],
      incomplete: output.incomplete,
      open_calls: openCallRows(output),
      hunks: output.hunks.map(({ id, before, after }) => ({ id, before, after })),
    }),
  };
}

export function rollbackLines(answer: RollbackAnswer): string[] {
  const { changes = [], left = [], incomplete = [], hunks = [] } = answer;
  return [
    ...operationLines(answer),
    ...(changes.length === 0 ? [] : [`Changes: ${changes.join(', ')}`]),
    ...hunks.map(({ id, before, after }) => `  hunk ${id}: -${before.join(',')} +${after.join(',')}`),
    ...left.map(({ id, path, why, grade }) => {
      const of = id === undefined ? '' : `${id} `;
      return `  left${grade === undefined ? '' : ` (${grade})`}  ${of}${pathText(path)}: ${showText(why)}`;
    }),
    ...(incomplete.length === 0 ? [] : ['NOT COMPLETE: more changes may match than are known.']),
    ...incomplete.map(({ checkpoint, why }) => `  ${checkpoint}: ${showText(why)}`),
    ...openCallLines(answer),
    ...(left.some(({ grade }) => grade === 'likely') ? ['To revert likely ones, too: likely true.'] : []),
    ...(left.some(({ grade }) => grade === 'open') ? ['To revert open ones, too: include_shared true.'] : []),
  ];
}

const INDEXES: Record<OperationJson['heads'][number]['index'], string> = {
  rebuilt: 'index rebuilt from the commit',
  'put-back': 'index restored, including staged changes',
  left: 'index unchanged',
};

function headText({ before, after, index, unreachableCount }: OperationJson['heads'][number]): string {
  const left =
    unreachableCount === 0 ? '' : `; ${countText(unreachableCount, 'unreachable commit')} (kept in the store)`;
  const stays = before.branch === after.branch && before.commit === after.commit;
  return `${stays ? '' : 'branch and HEAD move as well; '}${INDEXES[index]}${left}`;
}

function mixedAuthorsText(agents: readonly string[]): string {
  return agents.length === 0
    ? 'Agents and others may have changed paths since, and the record of it is gone'
    : `${agents.map((name) => showText(name)).join(', ')} and others have changed paths since`;
}

function openCallRows({ openCalls }: Pick<RollbackJson, 'openCalls'>): NonNullable<RollbackAnswer['open_calls']> {
  return openCalls.map(({ agent, tool, summary }) => ({ agent, tool, summary }));
}

function openCallLines({ open_calls: calls = [] }: Pick<RollbackAnswer, 'open_calls'>): string[] {
  return calls.map(
    ({ agent, tool, summary }) =>
      `  open call of ${showText(agent)}: ${showText(tool)} ${showText(summary)}; it may write the same files`,
  );
}
