/** What users read about the changes in a copy. */

import { type JsonName, nameFromJson, type Savepoint, showName, showText } from '@savepoint/core';
import { changeToJson, type operationToJson, someOf } from '@savepoint/core/frontend';
import { lines } from '../command.ts';
import { captureWarnings, listedIn, listWithHeading } from '../show/capture.ts';
import { changeLine, statOf, totalsLine, uncapturedText } from '../show/changes.ts';
import { countText, pathText } from '../show/format.ts';
import { conflictSides, listedPaths, planLines, planNotes } from '../show/plan.ts';
import type { OutputView } from '../view.ts';
import type { Copy, CopyDifference } from './proposal.ts';

type OperationJson = ReturnType<typeof operationToJson>;

const LISTED_CHANGES = 50;
const LISTED_WHEN_DONE = 10;
const NAMED_IN_LINE = 5;
const COMMAND_COLUMNS = 200;

/** Like `diff --stat`; what has no lines is named with what happened to it. */
export function differenceText(
  { changes, totals, problems, uncaptured, notApplied, commits, checks }: CopyDifference,
  view: OutputView,
): string {
  const json = changes.map(changeToJson);
  const unlisted = json.filter(
    ({ operation, added }) =>
      added === null || operation === 'mode' || operation === 'rename' || operation === 'delete',
  );
  const listed = json.slice(0, listedIn(view, LISTED_CHANGES));
  const more = json.length - listed.length;
  return lines(
    'Changed in the copy:',
    statOf(listed, view).map((line) => ` ${line}`),
    more > 0 ? ` … and ${more} more (all with --json, or in the diff)` : [],
    ` ${totalsLine({ ...totals })}`,
    listWithHeading(
      unlisted.map((change) => changeLine(change, view.style)),
      () => 'of these:',
      listedIn(view),
    ),
    listWithHeading(
      uncaptured.map((change) => `${pathText(changeToJson(change).path)}${uncapturedText(changeToJson(change))}`),
      () => 'not captured, so neither applied nor in a patch:',
      listedIn(view),
    ),
    notAppliedText(notApplied),
    listWithHeading(
      commits.map(({ path, commit, ref }) => `${path === '' ? '.' : showName(path)}: ${commit} (${refText(ref)})`),
      () => 'commits of the copy, which cannot be applied:',
      listedIn(view),
    ),
    listWithHeading(
      (checks?.checks ?? []).map(({ name, outcome }) => `${showText(name)}: ${showText(outcome)}`),
      () =>
        `checked in the copy, as its programs report${checks?.isCurrent === true ? '' : ' (it has changed since)'}:`,
      listedIn(view),
    ),
    listWithHeading(
      problems.map((text) => showText(text)),
      () => 'could not be read:',
      listedIn(view),
    ),
  );
}

/** When nothing can be applied. @param hasApplied whether changes of the copy were applied before */
export function unchangedText({ notApplied }: CopyDifference, hasApplied: boolean): string {
  const more = hasApplied ? 'more ' : '';
  return lines(
    notApplied.length === 0
      ? `savepoint: nothing ${more}was changed in the copy.`
      : `savepoint: nothing ${more}was changed in the copy that can be applied.`,
    notAppliedText(notApplied),
  );
}

/** @param isFiles whether the copy has changes that can be applied */
export function appliedText(operation: OperationJson, isFiles: boolean, view: OutputView): string {
  const { checkpoint } = operation;
  if (checkpoint === null) {
    const { kept } = operation.plan;
    return lines(
      !isFiles
        ? 'Nothing was applied: the copy has no changes that can be applied.'
        : kept.length === 0
          ? 'Nothing was left to apply: the folder already has these changes.'
          : 'Nothing was applied: the rest of the changes is in the folder already.',
      planNotes(operation, null, view),
    );
  }
  return lines(
    `Applied to ${countText(listedPaths(operation).length, 'path')}  (now ${checkpoint.id})`,
    planLines(operation, view.style, listedIn(view, LISTED_WHEN_DONE)),
    planNotes(operation, null, view),
    captureWarnings(operation.capture),
    'Run `savepoint undo` to revert.',
  );
}

/** The keys of the question are the ways on. */
export function conflictText(preview: OperationJson, view: OutputView): string {
  const paths = preview.plan.conflicts.length;
  return lines(
    `The folder has changed in the meantime, and ${countText(paths, 'path')} ${paths === 1 ? 'does' : 'do'} not merge:`,
    conflictSides(preview, { ...view, isPage: true }),
  );
}

export function savedText({ changes, unknownToGit, uncaptured }: CopyDifference, file: JsonName): string {
  const shown = showName(nameFromJson(file));
  return lines(
    `Saved ${countText(changes.length - uncaptured.length, 'change')} in ${shown}. \`git apply ${shown}\` applies them.`,
    listWithHeading(
      unknownToGit.map((change) => pathText(changeToJson(change).path)),
      () => 'not known to git, so only notes in the patch (empty folders, permissions):',
    ),
  );
}

/** @param commands safe to print */
export function endedText(commands: readonly string[]): string {
  const shown = commands.slice(0, LISTED_WHEN_DONE).map((command) => clipped(command));
  const more = commands.length - shown.length;
  return lines(
    'savepoint: these still ran in the copy, and were ended:',
    shown.map((command) => `  ${command}`),
    more > 0 ? [`  … and ${more} more`] : [],
  );
}

export function plannedText(
  { id, revision }: { readonly id: string; readonly revision: number },
  changes: number,
): string {
  return lines(
    `Kept ${countText(changes, 'change')} as ${id}${revision === 1 ? '' : `, revision ${revision}`}. The folder is not changed.`,
    `Review it with \`savepoint plan review ${id}\`.`,
  );
}

/** The copy of a plan is left as the folder is. */
export function planStaysText(id: string): string {
  return `The plan ${showText(id)} stays as it was. If none of it is wanted any more: \`savepoint plan cancel ${showText(id)}\`.\n`;
}

type PlanView = Awaited<ReturnType<Savepoint['plan']>>;
type PlanNews = Awaited<ReturnType<Savepoint['followPlans']>>[number];

/** Before a program without hooks works on a plan: what it would have read. Empty if that is nothing. */
export function withoutHooksText({ plan: { id, words } }: PlanView): string {
  if (words.length === 0) return '';
  return lines(
    `savepoint: this program has no hooks of Savepoint, so it does not read what is asked for in ${id}. Tell it:`,
    words.map(({ text }) => `  ${showText(text, 'keep')}`),
  );
}

/** What was said about plans and did not reach the agent. Empty if that is nothing. */
export function unreadText(unread: readonly PlanNews[]): string {
  return unread
    .filter(({ words }) => words.length > 0)
    .map(({ id, words }) =>
      lines(
        `savepoint: the agent did not read this about ${id}. Its hooks pass it on with its next prompt; without hooks, tell it:`,
        words.map((text) => `  ${showText(text, 'keep')}`),
        `To go on with it: \`savepoint run --isolated --revise ${id} -- AGENT\`.`,
      ),
    )
    .join('');
}

const ACCESS = { list: ' that has names only', read: ' that can only be read', edit: '' };

/** What users must know before the command starts. */
export function isolationText({ copy, notes }: Copy, view: OutputView): string {
  const { notIsolated, record, access } = copy;
  const reasons = notes.map((note) => `savepoint: ${showText(note)}`);
  return lines(
    reasons,
    view.style.faint(
      `savepoint: in a copy of the folder${ACCESS[access ?? 'edit']} (${record.id}). Not isolated: ${showText(andText(notIsolated))}.`,
    ),
  );
}

/** In one line: they may be many. */
function notAppliedText(paths: CopyDifference['notApplied']): readonly string[] {
  if (paths.length === 0) return [];
  const names = someOf(
    paths.map((path) => showName(path)),
    NAMED_IN_LINE,
  );
  return [`changed, and not applied (ignored files and dependencies): ${names}`];
}

/** @param ref one character per byte */
function refText(ref: string): string {
  return showName(ref.replace(/^refs\/(?:heads|tags)\/|^refs\/(?=stash$)/, ''));
}

function clipped(text: string): string {
  return text.length > COMMAND_COLUMNS ? `${text.slice(0, COMMAND_COLUMNS - 1)}…` : text;
}

/** `a, b and c` */
function andText(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
