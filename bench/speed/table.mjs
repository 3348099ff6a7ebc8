// @ts-check
/** One table of all repositories: a column each, our figure and git's in each cell, and the aim of the row. */
import { median, showMs } from '../measure.mjs';
import { ROWS } from './rows.mjs';

/**
 * @typedef {object} Measured
 * @property {import('./subject.mjs').Subject} subject
 * @property {import('./rows.mjs').Figures} figures
 */

/** @typedef {import('./rows.mjs').RowKind} RowKind */
/** @typedef {{ readonly ours: readonly number[], readonly theirs: readonly number[] }} Pair */

/** @param {readonly Measured[]} all @returns {string} Markdown */
export function speedTable(all) {
  const rows = kinds().filter(([id]) => all.some(({ figures }) => figures.has(id)));
  return [
    `| | ${all.map(({ subject }) => subject.name).join(' | ')} | beside | aim |`,
    `|---|${all.map(() => '---|').join('')}---|---|`,
    ...factLines(all),
    ...rows.map(([id, kind]) => {
      const cells = all.map(({ figures }) => cell(kind, figures.get(id)));
      return `| ${kind.what} | ${cells.join(' | ')} | ${kind.against} | ${showAim(kind)} |`;
    }),
    '',
    ...missedNotes(all, rows),
  ].join('\n');
}

/**
 * @param {Measured} measured
 * @returns {string} all figures of one repository with their ranges, a line each
 */
export function rangesOf({ figures }) {
  return kinds()
    .flatMap(([id, { what, unit }]) => {
      const pair = figures.get(id);
      return pair === undefined ? [] : [`  ${what}: ${showMs(pair.ours)} : ${showMs(pair.theirs)} ${unit}`];
    })
    .join('\n');
}

/** @returns {[import('./rows.mjs').RowId, RowKind][]} */
function kinds() {
  return /** @type {[import('./rows.mjs').RowId, RowKind][]} */ (Object.entries(ROWS));
}

/** @param {readonly Measured[]} all */
function factLines(all) {
  const names = Object.keys(all[0]?.subject.facts ?? {});
  return names.map((name) => `| ${name} | ${all.map(({ subject }) => subject.facts[name]).join(' | ')} | | |`);
}

/** @param {RowKind} kind @param {Pair | undefined} pair */
function cell(kind, pair) {
  if (pair === undefined || pair.ours.length === 0) return '';
  const ours = show(figureOf(kind, pair.ours), kind.unit);
  const shown = isMissed(kind, pair) ? `**${ours}**` : ours;
  if (pair.theirs.length === 0) return shown;
  return `${shown} : ${show(figureOf(kind, pair.theirs), kind.unit)} (${times(ratioOf(kind, pair))} ×)`;
}

/** @param {RowKind} kind @param {readonly number[]} runs */
function figureOf({ isMost = false }, runs) {
  return isMost ? Math.max(...runs) : median(runs);
}

/** @param {RowKind} kind @param {Pair} pair */
function ratioOf(kind, { ours, theirs }) {
  return figureOf(kind, theirs) / figureOf(kind, ours);
}

/** @param {RowKind} kind @param {Pair} pair */
function isMissed(kind, pair) {
  const { most, ratio } = kind.aim ?? {};
  if (most !== undefined && figureOf(kind, pair.ours) > most) return true;
  return ratio !== undefined && pair.theirs.length > 0 && ratioOf(kind, pair) < ratio;
}

/** @param {RowKind} kind */
function showAim({ aim, unit }) {
  if (aim === undefined) return '';
  const most = aim.most === undefined ? [] : [`≤ ${aim.most} ${unit}`];
  const ratio = aim.ratio === undefined ? [] : [`≥ ${times(aim.ratio)} ×`];
  return [...most, ...ratio].join(', ');
}

/** @param {readonly Measured[]} all @param {readonly [import('./rows.mjs').RowId, RowKind][]} rows */
function missedNotes(all, rows) {
  return rows.flatMap(([id, kind]) => {
    const where = all.flatMap(({ subject, figures }) => {
      const pair = figures.get(id);
      return pair !== undefined && pair.ours.length > 0 && isMissed(kind, pair) ? [subject.name] : [];
    });
    if (where.length === 0) return [];
    const reason = kind.reason === undefined ? '' : ` ${kind.reason}`;
    const places = where.length === all.length ? 'everywhere' : `on ${where.join(', ')}`;
    return [`- *${kind.what}, ${showAim(kind)}*: missed ${places}.${reason}`];
  });
}

/** @param {number} x @param {'ms' | 'MB'} unit */
function show(x, unit) {
  const digits = x < 10 || (unit === 'MB' && x < 100) ? 1 : 0;
  return x.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** @param {number} x */
function times(x) {
  return x.toLocaleString('en', { maximumSignificantDigits: 2 });
}
