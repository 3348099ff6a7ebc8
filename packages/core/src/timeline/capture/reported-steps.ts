/**
 * Divides what a capture found into several checkpoints if file tools reported what they wrote and more differs: what
 * others wrote before the tools ran, what the tools wrote, and what others wrote afterwards. Each path had these contents
 * one after the other; the paths together may never have been in the first two states at once.
 */

import { type Checkpoint, OUTSIDE } from '../../model/checkpoint.ts';
import { type Entry, type Snapshot, sameEntry } from '../../model/entries.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import { editSnapshot } from '../../store/snapshot/edit-snapshot.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';
import { type Attribution, attributionOf, authorOf } from './attribution.ts';
import { type CheckpointInfo, checkpointInfo, type NewCheckpoint } from './compose.ts';
import { type ProvenWrite, type ReportEvidence, weighReports } from './reported-writes.ts';

export interface ReportedSteps {
  /** Oldest first. The last one is the captured state. */
  readonly steps: readonly NewCheckpoint[];
  readonly evidence: ReportEvidence;
}

/**
 * @param previous the last checkpoint
 * @param composed the checkpoint as it is without reports
 * @param isNotBy whether an open call cannot have made the change of a path
 */
export function reportedSteps(
  batch: ObjectBatch,
  previous: Checkpoint,
  open: readonly OpenCall[],
  composed: NewCheckpoint,
  isNotBy: (call: OpenCall, path: TreePath) => boolean,
): ReportedSteps {
  const { info, state, attribution } = composed;
  const ended = open.find((call) => isEnd(info, call)) ?? null;
  const evidence = weighReports(batch, previous.snapshot, state.snapshot, open, ended);
  const { proven, contradicted } = evidence;
  if (proven.length === 0 && contradicted.length === 0) return { steps: [composed], evidence };

  const unsure = new Set(proven.flatMap(({ path, isSure }) => (isSure ? [] : [path])));
  const callsOf = new Map<TreePath, Set<OpenCall>>();
  for (const { path, call } of [...contradicted, ...proven]) {
    callsOf.set(path, (callsOf.get(path) ?? new Set()).add(call));
  }
  const others = attributionOf(open, (call, path) => callsOf.get(path)?.has(call) === true || isNotBy(call, path));
  const afterwards: Attribution = (path) => (callsOf.has(path) ? others(path) : attribution(path));
  const tools = toolsAttribution(proven, (path) => (unsure.has(path) ? attribution(path) : afterwards(path)));
  const between = { ...checkpointInfo('before', OUTSIDE), session: info.session, conversation: info.conversation };
  const step = (changed: Partial<NewCheckpoint>, snapshot: Snapshot): NewCheckpoint => ({
    ...composed,
    ...changed,
    state: { ...state, snapshot },
  });

  const steps: NewCheckpoint[] = [];
  const early = proven.filter(({ old, found }) => !sameEntry(old, found));
  const beforeTools = editSnapshot(batch, previous.snapshot, early.map(editTo('found')));
  if (early.length > 0) steps.push(step({ info: between, attribution: others }, beforeTools));
  if (proven.every(({ written, current }) => sameEntry(written, current))) {
    return { steps: [...steps, { ...composed, attribution: tools }], evidence };
  }
  const afterTools = editSnapshot(batch, beforeTools, proven.map(editTo('written')));
  const isByEnded = proven.some(({ call }) => call === ended);
  const [own, rest] = isByEnded ? [info, between] : [between, info];
  return {
    steps: [
      ...steps,
      step({ info: own, attribution: tools }, afterTools),
      step({ info: rest, attribution: afterwards }, state.snapshot),
    ],
    evidence,
  };
}

/** The capture at the end of this call. If its end is not known, its tool may not have written yet. */
function isEnd(info: CheckpointInfo, call: OpenCall): boolean {
  return info.trigger === 'call' && info.toolCall === call.id && info.session === call.session && !call.background;
}

function toolsAttribution(proven: readonly ProvenWrite[], rest: Attribution): Attribution {
  const authors = new Map(proven.filter(({ isSure }) => isSure).map(({ path, call }) => [path, authorOf(call)]));
  return (path) => {
    const author = authors.get(path);
    return author === undefined ? rest(path) : { authors: [author], grade: 'sure', evidence: 'content' };
  };
}

function editTo(side: 'found' | 'written') {
  return (proven: ProvenWrite): { readonly path: TreePath; readonly to: Entry | null; readonly ignored: boolean } => ({
    path: proven.path,
    to: proven[side],
    ignored: proven.ignored,
  });
}
