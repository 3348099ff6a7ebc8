// @ts-check
import { runHook } from '@savepoint/agents/hook';
import { NEVER, runWithTruth, VERDICTS } from '@savepoint/testkit/truth';

/**
 * Measures attribution where the real author of each line is known: three agents of different protocols and a person
 * work in one folder, interleaved at random. Then the work of one agent is rolled back, and the rollback is undone.
 */

/** How often somebody does something in one folder. */
const STEPS = 60;
/** Of all lines, in percent. */
const MOST_WRONG_AND_SURE = 0.5;
const MAX_SHOWN = 20;

/** @typedef {import('@savepoint/testkit/truth').Verdict} Verdict */

/**
 * @param {{ seed: number, changes: number }} options how many changes the timelines must have at least
 * @returns {Promise<string>} a table
 * @throws if more is wrong and sure than it may be, or a rollback lost or brought back a line
 */
export async function measureTruth({ seed, changes }) {
  /** Lines by kind of action. @type {Map<string, Map<Verdict, number>>} */
  const counts = new Map();
  /** @type {Map<string, number>} */
  const outcomes = new Map();
  /** @type {string[]} */
  const wrong = [];
  /** @type {string[]} */
  const problems = [];
  let [folders, actions, recorded, withDeleted] = [0, 0, 0, 0];
  for (; recorded < changes; folders++) {
    const run = await runWithTruth(runHook, seed + folders, STEPS);
    actions += run.actions;
    recorded += run.changes;
    for (const one of run.judged) {
      const row = counts.get(one.kind) ?? new Map();
      row.set(one.verdict, (row.get(one.verdict) ?? 0) + 1);
      counts.set(one.kind, row);
      if (one.verdict !== 'wrong and sure') continue;
      const sign = one.added ? '+' : '-';
      wrong.push(`seed ${seed + folders}, ${one.change} ${one.path}: ${sign}${one.line}, ${one.recorded}; ${one.kind}`);
    }
    const { outcome } = run.takenBack;
    withDeleted += run.takenBack.withDeleted;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    problems.push(...run.takenBack.problems.map((problem) => `seed ${seed + folders}, ${run.agent}: ${problem}`));
  }
  for (const line of [...wrong.slice(0, MAX_SHOWN), ...problems.slice(0, MAX_SHOWN)]) console.log(line);
  const total = totalOf(counts);
  const lines = [...total.values()].reduce((sum, count) => sum + count, 0);
  const report = [
    `Seeds ${seed} to ${seed + folders - 1}: ${actions.toLocaleString('en')} actions of agents and persons, ${recorded.toLocaleString('en')} changes and ${lines.toLocaleString('en')} lines on the timelines.`,
    '',
    ...table(counts, total, lines),
    '',
    `Rollbacks of one agent: ${[...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}; ${problems.length} lines of others lost or back, or undos not exact. ${withDeleted} lines came back with a deleted file.`,
    '',
  ].join('\n');
  const share = (100 * (total.get('wrong and sure') ?? 0)) / lines;
  if (share > MOST_WRONG_AND_SURE || problems.length > 0) {
    console.log(report);
    throw new Error(`${share.toFixed(2)} % wrong and sure, ${problems.length} problems of rollbacks`);
  }
  return report;
}

/**
 * @param {ReadonlyMap<string, ReadonlyMap<Verdict, number>>} counts
 * @returns {Map<Verdict, number>}
 */
function totalOf(counts) {
  const total = new Map();
  for (const row of counts.values()) {
    for (const [verdict, count] of row) total.set(verdict, (total.get(verdict) ?? 0) + count);
  }
  return total;
}

/**
 * @param {ReadonlyMap<string, ReadonlyMap<Verdict, number>>} counts
 * @param {ReadonlyMap<Verdict, number>} total
 * @param {number} lines
 */
function table(counts, total, lines) {
  const kinds = [...counts.keys()].sort((a, b) => Number(a === NEVER) - Number(b === NEVER) || (a < b ? -1 : 1));
  const cells = (/** @type {ReadonlyMap<Verdict, number>} */ row) =>
    VERDICTS.map((verdict) => (row.get(verdict) ?? 0).toLocaleString('en')).join(' | ');
  const percent = VERDICTS.map((verdict) => `${((100 * (total.get(verdict) ?? 0)) / lines).toFixed(2)} %`).join(' | ');
  return [
    `| lines changed by | ${VERDICTS.join(' | ')} |`,
    `|---|${VERDICTS.map(() => '---').join('|')}|`,
    ...kinds.map((kind) => `| ${kind} | ${cells(counts.get(kind) ?? new Map())} |`),
    `| total | ${cells(total)} |`,
    `| | ${percent} |`,
  ];
}
