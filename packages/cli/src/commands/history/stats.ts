import { SavepointError } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { uncountedLines } from '../../show/checkpoint.ts';
import { countText, groupDigits, sizeText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

type StatsJson = OutputOf<(typeof VERBS)['stats']>;
type DurationsJson = StatsJson['timeToApply'];

const KINDS = [
  ['packs', 'packs'],
  ['loose', 'loose objects'],
  ['refs', 'refs'],
  ['backups', 'backups'],
  ['cache', 'cache'],
  ['calls', 'open calls'],
  ['journal', 'journal'],
  ['other', 'other'],
] as const;

export const stats = command({
  verb: VERBS.stats,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--by <unit>', description: 'show figures for each day or week instead', choices: ['day', 'week'] },
    { flags: '--limit <number>', description: 'with `--by`: how many days (default 30) or weeks (default 12)' },
  ],
  examples: ['savepoint stats', 'savepoint stats --by week', 'savepoint stats --by day --limit 90 --json'],

  input(given) {
    const { by } = given.options;
    const most = wholeNumber(given, 'limit', '--limit');
    if (by !== 'day' && by !== 'week') {
      if (most === undefined) return {};
      throw new SavepointError('USAGE', '--limit needs --by.', { argument: '--limit' });
    }
    return { by, utcOffset: -new Date().getTimezoneOffset(), ...(most === undefined ? {} : { most }) };
  },

  render({ changes, steps, acts, timeToApply, threeFiles, storage, guard, plans, series, damaged }, view) {
    const { style } = view;
    if (series !== null) return lines(seriesLines(series, view), uncountedLines(damaged, view));
    const row = (name: string, value: string): string => `${style.faint(`${name}:`.padEnd(16))} ${value}`;
    return lines(
      row(
        'in effect',
        `${percent(changes.success)}  (${groupDigits(changes.standing)} of ${countText(changes.all, 'change')} of agents and by edits)`,
      ),
      row(
        'taken back',
        `${percent(steps.rollBackRate)}  (${groupDigits(steps.takenBack)} of ${countText(steps.all, 'step')}: calls of agents, and edits)`,
      ),
      row('time to apply', durations(timeToApply)),
      `  ${'3+ files'.padEnd(14)} ${durations(threeFiles)}`,
      row(
        'operations',
        [
          countText(acts.edit, 'edit'),
          countText(acts.restore, 'restore'),
          countText(acts.rollback, 'rollback'),
          countText(acts.undo, 'undo', 'undos'),
          countText(acts.redo, 'redo', 'redos'),
        ].join(', '),
      ),
      guard.turns === 0
        ? []
        : row(
            'guarded',
            `${countText(guard.turns, 'turn')}: ${guard.takenBack} taken back, ${guard.repaired} repaired, ${guard.left} left`,
          ),
      plans.all === 0
        ? []
        : [
            row(
              'plans',
              `${countText(plans.all, 'plan')}: ${plans.approved} approved, ${plans.applied} applied, ` +
                `${plans.rolledBack} rolled back, ${plans.cancelled} cancelled`,
            ),
            `  ${'proposed'.padEnd(14)} ${countText(plans.files, 'path')}; rejected and not revised: ${countText(plans.rejectedFiles, 'path')}, ${countText(plans.rejectedHunks, 'hunk')}`,
            `  ${'checks'.padEnd(14)} new failures in ${countText(plans.failedChecks, 'run')}; ${countText(plans.overrides, 'override')}`,
            `  ${'until applied'.padEnd(14)} ${waits(plans.timeToApply)}`,
          ],
      row('storage', sizeText(storage.total)),
      KINDS.filter(([key]) => storage[key] > 0).map(([key, name]) => `  ${name.padEnd(14)} ${sizeText(storage[key])}`),
      uncountedLines(damaged, view),
    );
  },
});

/** A table; rows without anything are left out. */
function seriesLines(series: NonNullable<StatsJson['series']>, { style }: OutputView): readonly string[] {
  const rows = series.filter((row) => row.checkpoints + row.plansProposed + row.plansApproved + row.checksPassed > 0);
  if (rows.length === 0) return ['Nothing was recorded in this time.'];
  const cells = rows.map((row) => [
    row.from,
    groupDigits(row.turns),
    groupDigits(row.checkpoints),
    `+${groupDigits(row.added)} −${groupDigits(row.removed)}`,
    percent(row.rollBackRate),
    groupDigits(row.restores + row.rollbacks + row.undos),
    `${row.plansProposed}/${row.plansApproved}/${row.plansApplied}`,
    row.timeToApproval === null ? '–' : seconds(row.timeToApproval),
    row.timeToApply === null ? '–' : seconds(row.timeToApply),
    `${row.checksPassed}/${row.checksFailed}`,
    groupDigits(row.guardTookBack),
  ]);
  const widths = HEADS.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ');
  return [style.faint(line(HEADS)), ...cells.map(line), style.faint(LEGEND)];
}

const HEADS = ['from', 'turns', 'cps', 'lines', 'back', 'undone', 'plans', 'approval', 'apply', 'checks', 'guard'];
const LEGEND =
  'back: calls and edits of which something was reverted. undone: restores, rollbacks, undos. plans: proposed/approved/applied. ' +
  'approval, apply: median times. checks: passed/failed. guard: how often it took work back.';

function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(share * 1000) / 10}%`;
}

function durations({ calls, median, p95 }: DurationsJson): string {
  if (median === null || p95 === null) return '–  (no calls recorded)';
  return `median ${seconds(median)}, 95th percentile ${seconds(p95)}  (${countText(calls, 'call')})`;
}

/** How long approved plans waited. */
function waits({ applications, median, p95 }: StatsJson['plans']['timeToApply']): string {
  if (median === null || p95 === null) return '–  (nothing applied)';
  const times = `median ${seconds(median)}, 95th percentile ${seconds(p95)}`;
  return `${times}  (${countText(applications, 'application')}, from the approval)`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
