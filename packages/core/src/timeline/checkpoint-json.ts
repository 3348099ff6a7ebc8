/** `checkpoint.json`: a checkpoint's story as it lies in its commit (docs/format.md, "checkpoint.json"). */
import {
  type Actor,
  type Author,
  type Authorship,
  type CaptureCounts,
  type CaptureRules,
  type ChangeTotals,
  type Checkpoint,
  type ConversationPosition,
  type Gap,
  type HeadPosition,
  isAct,
  type MovedHead,
  type Operation,
  OUTSIDE,
  type RecordedChange,
  type RootState,
  type TestResult,
  type ToolInfo,
  type Trigger,
} from '../model/checkpoint.ts';
import type { SkipReason, Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import {
  type ChangeId,
  type CheckpointId,
  changeId,
  checkpointId,
  type HunkId,
  type ObjectId,
  type WorkspaceId,
} from '../model/ids.ts';
import { type JsonName, nameFromJson, nameToJson, type TreePath } from '../model/names.ts';
import { type EntryJson, entryFromJson, entryToJson } from '../store/entry-json.ts';

export const CHECKPOINT_FORMAT = 1;

/** Longer lists are left out (`changes: null`): they can be had from the trees. */
export const MAX_LISTED_CHANGES = 10_000;

export type Story = Omit<Checkpoint, 'id' | 'commit' | 'snapshot'>;

interface HeadJson {
  readonly branch: JsonName | null;
  readonly commit: string | null;
}

interface CheckpointJson {
  readonly format: number;
  readonly id: CheckpointId;
  readonly workspace: string;
  readonly previous: CheckpointId | null;
  readonly time: string;
  readonly trigger: Trigger;
  readonly actor: Actor;
  readonly description: string;
  readonly session: string | null;
  readonly conversation: ConversationPosition | null;
  readonly testResult: TestResult | null;
  readonly target: CheckpointId | null;
  readonly undoes: CheckpointId | null;
  /** Absent in checkpoints of early versions. */
  readonly toolCall?: string | null;
  /** Its `took` is absent in checkpoints of early versions. */
  readonly tool?: (Omit<ToolInfo, 'took'> & { readonly took?: number | null }) | null;
  /** Absent: false. */
  readonly late?: boolean;
  /** Absent: none. */
  readonly rolledBack?: readonly (ChangeId | HunkId)[];
  /** Absent: none. */
  readonly heads?: readonly {
    readonly path: JsonName;
    readonly before: HeadJson;
    readonly after: HeadJson;
    readonly index: ObjectId | null;
  }[];
  /** Those whom the changes name by their place in this list. */
  readonly authors?: readonly Author[];
  readonly roots: readonly (Omit<RootState, 'path' | 'branch'> & { path: JsonName; branch: JsonName | null })[];
  readonly rules: CaptureRules;
  readonly counts: CaptureCounts;
  readonly partial: readonly { path: JsonName; reason: SkipReason; code: string | null }[];
  readonly unsettled: readonly JsonName[];
  readonly changes:
    | readonly {
        path: JsonName;
        op: Operation;
        /** Only for a rename. */
        from?: JsonName;
        /** Absent: the first author. */
        by?: readonly number[];
        /** Absent: sure. */
        unsure?: true;
        before: EntryJson;
        after: EntryJson;
        lines: readonly [number, number] | null;
        /** Absent in checkpoints of early versions. */
        range?: readonly [number, number] | null;
        sizes?: readonly [number | null, number | null];
      }[]
    | null;
  readonly totals: ChangeTotals;
}

export function encodeStory(story: Story): Buffer {
  const authors = new Authors();
  const changes =
    story.changes === null || story.changes.length > MAX_LISTED_CHANGES
      ? null
      : story.changes.map((change) => changeToJson(change, authors));
  const json: CheckpointJson = {
    format: CHECKPOINT_FORMAT,
    id: checkpointId(story.number),
    workspace: story.workspace,
    previous: story.previous,
    time: new Date(story.time).toISOString(),
    trigger: story.trigger,
    actor: story.actor,
    description: story.description,
    session: story.session,
    conversation: story.conversation,
    testResult: story.testResult,
    target: story.target,
    undoes: story.undoes,
    toolCall: story.toolCall,
    ...(story.tool === null ? {} : { tool: story.tool }),
    ...(story.late ? { late: true } : {}),
    ...(story.rolledBack.length === 0 ? {} : { rolledBack: story.rolledBack }),
    ...(story.heads.length === 0 ? {} : { heads: story.heads.map(headToJson) }),
    ...(authors.list.length === 0 ? {} : { authors: authors.list }),
    roots: story.roots.map((root) => ({
      ...root,
      path: nameToJson(root.path),
      branch: root.branch === null ? null : nameToJson(root.branch),
    })),
    rules: story.rules,
    counts: story.counts,
    partial: story.partial.map(({ path, skip }) => ({
      path: nameToJson(path),
      reason: skip.reason,
      code: skip.code ?? null,
    })),
    unsettled: story.unsettled.map(nameToJson),
    changes,
    totals: story.totals,
  };
  return Buffer.from(`${JSON.stringify(json)}\n`);
}

/** @throws SavepointError STORE_DAMAGED, STORE_TOO_NEW */
export function decodeStory(data: Buffer, commit: ObjectId, snapshot: Snapshot): Checkpoint {
  let json: CheckpointJson;
  try {
    json = JSON.parse(data.toString('utf8')) as CheckpointJson;
  } catch (cause) {
    throw damaged(commit, cause);
  }
  if (typeof json.format === 'number' && json.format > CHECKPOINT_FORMAT) {
    throw new SavepointError('STORE_TOO_NEW', `Checkpoint ${commit} was written in format ${json.format}.`, {
      found: json.format,
      known: CHECKPOINT_FORMAT,
    });
  }
  const number = Number(/^cp_([1-9]\d{0,8})$/.exec(json.id)?.[1] ?? Number.NaN);
  if (json.format !== CHECKPOINT_FORMAT || Number.isNaN(number)) throw damaged(commit, null);
  try {
    return {
      id: checkpointId(number),
      number,
      commit,
      workspace: json.workspace as WorkspaceId,
      previous: json.previous,
      time: Date.parse(json.time),
      trigger: json.trigger,
      actor: json.actor,
      description: json.description,
      session: json.session,
      conversation: json.conversation,
      testResult: json.testResult,
      target: json.target,
      undoes: json.undoes,
      toolCall: json.toolCall ?? null,
      tool: json.tool == null ? null : { ...json.tool, took: json.tool.took ?? null },
      late: json.late ?? false,
      rolledBack: json.rolledBack ?? [],
      heads: (json.heads ?? []).map(({ path, before, after, index }) => ({
        path: nameFromJson(path) as TreePath,
        before: positionFromJson(before),
        after: positionFromJson(after),
        index,
      })),
      roots: json.roots.map((root) => ({
        ...root,
        path: nameFromJson(root.path) as TreePath,
        branch: root.branch === null ? null : nameFromJson(root.branch),
      })),
      rules: json.rules,
      counts: json.counts,
      partial: json.partial.map(
        ({ path, reason, code }): Gap => ({
          path: nameFromJson(path) as TreePath,
          skip: { reason, ...(code === null ? {} : { code }) },
        }),
      ),
      unsettled: json.unsettled.map((path) => nameFromJson(path) as TreePath),
      changes: json.changes?.map((change, index) => changeFromJson(change, changeId(number, index + 1), json)) ?? null,
      totals: json.totals,
      snapshot,
    };
  } catch (cause) {
    throw damaged(commit, cause);
  }
}

function headToJson({ path, before, after, index }: MovedHead): NonNullable<CheckpointJson['heads']>[number] {
  return { path: nameToJson(path), before: positionToJson(before), after: positionToJson(after), index };
}

function positionToJson({ branch, commit }: HeadPosition): HeadJson {
  return { branch: branch === null ? null : nameToJson(branch), commit };
}

function positionFromJson({ branch, commit }: HeadJson): HeadPosition {
  return { branch: branch === null ? null : nameFromJson(branch), commit };
}

/** Each once, in the order of their first change. */
class Authors {
  readonly list: Author[] = [];
  readonly #places = new Map<string, number>();

  placesOf({ authors }: Authorship): readonly number[] {
    return authors.map((author) => {
      const key = JSON.stringify(author);
      const known = this.#places.get(key);
      if (known !== undefined) return known;
      this.#places.set(key, this.list.length);
      return this.list.push(author) - 1;
    });
  }
}

/** Checkpoints of early versions name no authors: an act is its actor's, anything else was found by looking. */
function authorsIn(json: CheckpointJson): readonly Author[] {
  const actor = isAct(json.trigger) ? json.actor : OUTSIDE;
  return json.authors ?? [{ actor, session: json.session, call: json.toolCall ?? null, tool: null }];
}

function changeToJson(change: RecordedChange, authors: Authors): NonNullable<CheckpointJson['changes']>[number] {
  const by = authors.placesOf(change.by);
  return {
    path: nameToJson(change.path),
    op: change.operation,
    ...(change.from === null ? {} : { from: nameToJson(change.from) }),
    ...(by.length === 1 && by[0] === 0 ? {} : { by }),
    ...(change.by.sure ? {} : { unsure: true as const }),
    before: entryToJson(change.before),
    after: entryToJson(change.after),
    lines: change.added === null || change.removed === null ? null : [change.added, change.removed],
    range: change.lines === null ? null : [change.lines.first, change.lines.last],
    sizes: [change.beforeSize, change.afterSize],
  };
}

function changeFromJson(
  json: NonNullable<CheckpointJson['changes']>[number],
  id: ChangeId,
  story: CheckpointJson,
): RecordedChange {
  const authors = authorsIn(story);
  return {
    id,
    by: { authors: (json.by ?? [0]).flatMap((place) => authors[place] ?? []), sure: json.unsure !== true },
    path: nameFromJson(json.path) as TreePath,
    operation: json.op,
    from: json.from === undefined ? null : (nameFromJson(json.from) as TreePath),
    before: entryFromJson(json.before),
    after: entryFromJson(json.after),
    added: json.lines?.[0] ?? null,
    removed: json.lines?.[1] ?? null,
    lines: json.range == null ? null : { first: json.range[0], last: json.range[1] },
    beforeSize: json.sizes?.[0] ?? null,
    afterSize: json.sizes?.[1] ?? null,
  };
}

function damaged(commit: ObjectId, cause: unknown): SavepointError {
  return new SavepointError(
    'STORE_DAMAGED',
    `The story of checkpoint commit ${commit} cannot be read.`,
    { object: commit },
    { cause },
  );
}
