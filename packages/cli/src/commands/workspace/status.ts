import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { agentLines } from '../../show/agents.ts';
import { captureNotes } from '../../show/capture.ts';
import { changeLine, totalsLine } from '../../show/changes.ts';
import { checkpointMarks, notHappenedLines, titleText } from '../../show/checkpoint.ts';
import { countText, localTime, pathText, sizeText } from '../../show/format.ts';
import { changedLines, damagedScopeLines, scopeName } from '../../show/scope.ts';
import type { OutputView } from '../../view.ts';

const LISTED = 20;
/** Copies that take more of the limit than this are named. */
const LARGE_PART = 0.5;
const PLAN_MODE = 'Plan mode is on: agents only propose their edits (see `savepoint plan mode`).';
const NOT_RECORDED = 'Recording of agents is turned off here (`savepoint config` shows where).';

export const status = command({
  verb: VERBS.status,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint status'],
  input: () => ({}),

  async carryOut(input, _given, { savepoint, signal, agents }) {
    const output = await VERBS.status.handle(savepoint, input, { signal });
    const found = await agents(output.workspace?.path);
    return { ...output, agents: found.filter(({ installed, missed }) => installed.length > 0 || missed) };
  },

  render(output, view) {
    const { style } = view;
    const { workspace, last, changed, capture, pending, undo, redo } = output;
    const forkLine = forkText(output.fork);
    if (workspace === null) {
      return lines(
        forkLine,
        'No checkpoints yet. Take the first one with `savepoint checkpoint`.',
        output.recordsAgents ? [] : NOT_RECORDED,
        agentLines(output.agents ?? [], false),
      );
    }
    const text = [`${style.strong(pathText(workspace.path))}  ${countText(output.checkpoints, 'checkpoint')}`];
    text.push(...forkLine);
    if (output.missing) text.push('The folder does not exist. `savepoint restore last` restores its files.');
    if (output.moved === 'moved') text.push('The folder was moved here; its checkpoints are still available.');
    if (output.moved === 'made-anew')
      text.push('The folder was deleted and created again at this path; its checkpoints are still available.');
    for (const { checkpoint, paths, missing: roots, running } of pending) {
      const what = `(${checkpoint}, ${countText(paths, 'path')})`;
      if (running) {
        text.push(`In progress: an operation is changing files ${what}.`);
        continue;
      }
      const todo =
        roots.length === 0
          ? 'Run `savepoint recover`.'
          : `Mount ${roots.map(pathText).join(', ')} again to recover it.`;
      text.push(style.bad(`Pending: an operation was interrupted ${what}. ${todo}`));
    }
    text.push(...notHappenedLines(output.notHappened).map((line) => style.bad(line)));
    if (last !== null) {
      const marks = checkpointMarks(last).map((mark) => `  [${mark}]`);
      text.push(`last: ${style.id(last.id)}  ${localTime(last.time)}  ${titleText(last.description)}${marks.join('')}`);
    }
    if (changed !== null && last !== null) {
      if (changed.changes.length === 0) text.push(`No changes since ${last.id}.`);
      else {
        text.push(`Changed since ${last.id}: ${totalsLine(changed.totals)}`);
        text.push(...changed.changes.slice(0, LISTED).map((change) => `  ${changeLine(change, style)}`));
        const rest = changed.changes.length - LISTED;
        if (rest > 0) text.push(`  … and ${rest} more (see \`savepoint diff\`)`);
      }
    }
    if (capture !== null) text.push(...captureNotes(capture, view));
    if (output.damagedCalls.length > 0)
      text.push(style.bad(DAMAGED_CALLS), ...output.damagedCalls.map((file) => `  ${file}`));
    if (undo !== null) text.push(`undo would revert ${undo.id} (${titleText(undo.description)})`);
    if (redo !== null) text.push(`redo would ${redoText(redo)}`);
    text.push(...exportLines(output.exporting, style));
    if (output.unconfirmedDrops > 0) {
      const drops = countText(output.unconfirmedDrops, 'more checkpoint');
      text.push(
        `Your limits (\`savepoint config\`) now also apply to the newest 50 checkpoints, and would drop ${drops}. ` +
          'Automatic clean-up keeps them until you confirm it with `savepoint gc`.',
      );
    }
    text.push(...copyLines(output.copies));
    for (const scope of output.scopes) text.push(`In scope of ${scopeName(scope)}:`, ...changedLines(scope, view));
    text.push(...damagedScopeLines(output.damagedScopes, view));
    text.push(...planLines(output.plans));
    if (output.planMode) text.push(PLAN_MODE);
    if (!output.recordsAgents) text.push(NOT_RECORDED);
    text.push(...agentLines(output.agents ?? [], false));
    return lines(text);
  },
});

const DAMAGED_CALLS =
  'Damaged records of open calls: changes may be by an unknown agent until its session ends, or until `savepoint gc`.';

/** The description of an undo names the operation that it reverted, for example `Undid cp_3 (Restored cp_1)`. */
function redoText({ id, description }: NonNullable<OutputOf<typeof VERBS.status>['redo']>): string {
  const [, undone, what] = /^Undid (cp_\d+) \((.*)\)$/s.exec(description) ?? [];
  if (undone === undefined || what === undefined) return `revert ${id} (${titleText(description)})`;
  return `apply ${undone} again (${titleText(what)})`;
}

function exportLines(exporting: OutputOf<typeof VERBS.status>['exporting'], style: OutputView['style']): string[] {
  if (exporting === null) return [];
  const { to, upTo, behind, failure } = exporting;
  const has = upTo === null ? 'nothing exported yet' : `up to ${upTo}`;
  const missing = behind === 0 ? '' : `, ${countText(behind, 'checkpoint')} behind`;
  const line = `export to ${showText(to)}: ${has}${missing}`;
  if (failure === null) return [line];
  return [line, style.bad(`  the last export failed (${localTime(failure.time)}): ${showText(failure.message)}`)];
}

/** Said only if somebody should look: copies of dead processes, or much space. */
function copyLines({ stale, bytes, limit }: OutputOf<typeof VERBS.status>['copies']): string[] {
  const isLarge = limit !== null && bytes > limit * LARGE_PART;
  if (stale === 0 && !isLarge) return [];
  return [
    ...(stale === 0
      ? []
      : [
          stale === 1
            ? '1 copy that no process uses takes space: `savepoint copies` lists it, `savepoint copies --clean` removes it ' +
              'unless it may hold work.'
            : `${stale} copies that no process uses take space: \`savepoint copies\` lists them, \`savepoint copies --clean\` ` +
              'removes those that hold no work.',
        ]),
    ...(isLarge
      ? [
          `Copies and forks take ${sizeText(bytes)} of the ${sizeText(limit)} in \`max_store_mb\`: ` +
            '`savepoint copies` lists them.',
        ]
      : []),
  ];
}

function forkText(fork: OutputOf<typeof VERBS.status>['fork']): string[] {
  return fork === null ? [] : [`Fork ${fork.name} of ${pathText(fork.of)}, which it left at ${fork.checkpoint}.`];
}

function planLines(plans: OutputOf<typeof VERBS.status>['plans']): string[] {
  const [first] = [...plans].sort((a, b) => (a.expires < b.expires ? -1 : 1));
  if (first === undefined) return [];
  const expires = `${first.id} expires on ${localTime(first.expires).slice(0, 10)}`;
  return [`${countText(plans.length, 'open plan')} (see \`savepoint plan list\`; ${expires})`];
}
