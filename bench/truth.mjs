// @ts-check
import { register } from 'node:module';
import { runHook } from '@savepoint/agents/hook';
import { fastFolder, NEVER, runWithTruth, VERDICTS } from '@savepoint/testkit/truth';

/**
 * Measures attribution where the real author of each line is known: three agents of different protocols and a person
 * work in one folder, interleaved at random. Then the work of each agent is rolled back, and the rollback is undone.
 * Some agents are real programs with a scripted model, the others are played by the events of their protocols.
 */

/** How often somebody does something in one folder. */
const STEPS = 60;
/** The part of the changes in folders with real agents. */
const REAL_SHARE = 1 / 5;
/** Of each real agent in one folder. */
const CALLS = 45;
/** Of all lines, in percent. */
const MOST_WRONG_AND_SURE = 0.5;
const MAX_SHOWN = 20;

/** @typedef {import('@savepoint/testkit/truth').Verdict} Verdict */
/** @typedef {import('@savepoint/testkit/truth').TruthRun} TruthRun */

/**
 * @param {{ seed: number, changes: number, agents: boolean }} options how many changes the timelines must have at
 * least, and whether real agents take part
 * @returns {Promise<string>} a table
 * @throws if more is wrong and sure than it may be, or a rollback lost or brought back a line
 */
export async function measureTruth({ seed, changes, agents }) {
  process.env['TMPDIR'] = fastFolder();
  const played = new Results();
  const real = new Results();
  const playReal = agents ? await realAgents() : null;
  const enough = playReal === null ? 0 : changes * REAL_SHARE;
  const playAllReal = async () => {
    for (let at = seed; playReal !== null && real.changes < enough; at++) real.add(at, await playReal(at, CALLS));
  };
  const playOthers = async () => {
    for (let at = seed; played.changes < changes - enough; at++) {
      played.add(at, await runWithTruth(runHook, at, { steps: STEPS, rollbacks: 3 }));
    }
  };
  // At the same time, because real agents often wait.
  await Promise.all([playAllReal(), playOthers()]);
  const [wrong, problems] = [
    [...played.wrong, ...real.wrong],
    [...played.problems, ...real.problems],
  ];
  for (const line of [...wrong.slice(0, MAX_SHOWN), ...problems.slice(0, MAX_SHOWN)]) console.log(line);
  const counts = new Map([...played.counts, ...real.counts]);
  const total = totalOf(counts);
  const lines = [...total.values()].reduce((sum, count) => sum + count, 0);
  const report = [
    `${played.inWords('Agents played by events')} ${real.inWords('Real agents')}`,
    '',
    ...table(counts, total, lines),
    '',
    `Rollbacks of one agent, ${outcomesOf(played, real)}; ${problems.length} lines of others lost or back, or undos not exact.`,
    '',
  ].join('\n');
  const share = (100 * wrong.length) / lines;
  if (share > MOST_WRONG_AND_SURE || problems.length > 0) {
    console.log(report);
    throw new Error(`${share.toFixed(2)} % wrong and sure, ${problems.length} problems of rollbacks`);
  }
  return report;
}

/** @returns {Promise<((seed: number, calls: number) => Promise<TruthRun>) | null>} null: they cannot run here */
async function realAgents() {
  register('./typescript-hooks.mjs', import.meta.url);
  const { whyNoNetwork } = await import('../tests/agents/run.ts');
  const reason = whyNoNetwork();
  if (reason !== null) {
    console.warn(`\n*** NO REAL AGENTS TAKE PART: ${reason} ***\n`);
    return null;
  }
  const { installPrograms, playRealAgents } = await import('../tests/agents/truth/real-agents.ts');
  installPrograms();
  return playRealAgents;
}

/** What was counted in several folders. */
class Results {
  /** Lines by kind of action. @type {Map<string, Map<Verdict, number>>} */
  counts = new Map();
  /** @type {Map<string, number>} */
  outcomes = new Map();
  /** @type {string[]} */
  wrong = [];
  /** @type {string[]} */
  problems = [];
  /** @type {number[]} */
  seeds = [];
  actions = 0;
  changes = 0;
  lines = 0;

  /** @param {number} seed @param {TruthRun} run */
  add(seed, { judged, takenBack, actions, changes }) {
    this.seeds.push(seed);
    this.actions += actions;
    this.changes += changes;
    this.lines += judged.length;
    for (const one of judged) {
      const row = this.counts.get(one.kind) ?? new Map();
      row.set(one.verdict, (row.get(one.verdict) ?? 0) + 1);
      this.counts.set(one.kind, row);
      if (one.verdict !== 'wrong and sure') continue;
      const sign = one.added ? '+' : '-';
      this.wrong.push(`seed ${seed}, ${one.change} ${one.path}: ${sign}${one.line}, ${one.recorded}; ${one.kind}`);
    }
    for (const { agent, outcome, problems } of takenBack) {
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
      this.problems.push(...problems.map((problem) => `seed ${seed}, ${agent}: ${problem}`));
    }
  }

  /** @param {string} who */
  inWords(who) {
    if (this.seeds.length === 0) return `${who}: none.`;
    const number = (/** @type {number} */ count) => count.toLocaleString('en');
    return `${who}, seeds ${this.seeds[0]} to ${this.seeds.at(-1)}: ${number(this.actions)} actions of agents and persons, ${number(this.changes)} changes and ${number(this.lines)} lines on the timelines, ${((100 * this.wrong.length) / this.lines).toFixed(2)} % wrong and sure.`;
  }
}

/** @param {Results} played @param {Results} real */
function outcomesOf(played, real) {
  const list = (/** @type {Results} */ { outcomes }) =>
    [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'none';
  return `played: ${list(played)}; real: ${list(real)}`;
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
