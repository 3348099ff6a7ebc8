// @ts-check
import { parseReference, plainName } from '../reports/read-report.mjs';

/** The tables of docs/features.md and docs/complaints.md: `| id | text | state | proof |`. */

/**
 * @typedef {{ readonly id: string, readonly line: number, readonly state: string, readonly proof: string, readonly cells: number }} Row
 * @typedef {import('../reports/read-report.mjs').Result} Result
 */

/** @param {string} letter @param {number} last */
const series = (letter, last) => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);

/** The ids that each table must contain. @type {Readonly<Record<string, readonly string[]>>} */
export const TABLES = {
  'docs/features.md': [
    ...series('A', 23),
    ...series('B', 11),
    ...series('C', 11),
    ...series('D', 11),
    ...series('E', 7),
    ...series('X', 16),
  ],
  'docs/complaints.md': series('', 69),
};

const MILESTONES = ['Atomic edits', 'History', 'Repositories', 'Speed', 'later'];

/**
 * Reads the rows whose first cell is an id: a letter and a number, or a number.
 * @param {string} markdown
 * @returns {Row[]}
 */
export function readRows(markdown) {
  return markdown.split('\n').flatMap((text, index) => {
    const cells = splitCells(text);
    if (cells === null || !/^[A-Z]?\d+$/.test(cells[0] ?? '')) return [];
    return [{ id: cells[0] ?? '', line: index + 1, state: cells[2] ?? '', proof: cells[3] ?? '', cells: cells.length }];
  });
}

/** A bar inside backticks, or after a backslash, is text. @param {string} line @returns {string[] | null} */
function splitCells(line) {
  const trimmed = line.trim();
  if (!trimmed.startsWith('|') || !trimmed.endsWith('|')) return null;
  /** @type {string[]} */
  const cells = [];
  let cell = '';
  let quoted = false;
  for (let i = 1; i < trimmed.length - 1; i++) {
    const here = trimmed[i] ?? '';
    if (here === '`') quoted = !quoted;
    if (here === '\\' && trimmed[i + 1] === '|') {
      cell += '|';
      i += 1;
    } else if (here === '|' && !quoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += here;
  }
  return [...cells, cell.trim()];
}

/**
 * Returns the problems of one table.
 * @param {string} path for messages
 * @param {string} markdown
 * @param {readonly string[]} wanted ids
 * @param {{ readonly results: readonly Result[] | null, readonly notRun: readonly string[] }} run `results` is null if
 * there was no run; `notRun`: folders whose tests were not part of it
 * @param {(file: string) => boolean} exists
 * @returns {string[]}
 */
export function checkTable(path, markdown, wanted, run, exists) {
  const rows = readRows(markdown);
  const problems = wanted
    .filter((id) => !rows.some((row) => row.id === id))
    .map((id) => `${path}: row ${id} is missing`);
  const seen = new Set();
  for (const row of rows) {
    const say = (/** @type {string} */ what) => problems.push(`${path}:${row.line} row ${row.id}: ${what}`);
    if (!wanted.includes(row.id)) say('no such row is known');
    if (seen.has(row.id)) say('is there twice');
    seen.add(row.id);
    if (row.cells !== 4) say(`has ${row.cells} cells, wanted: | id | text | state | proof |`);
    else if (row.state === 'waits') {
      if (!MILESTONES.includes(row.proof)) say(`waits for "${row.proof}", which is none of: ${MILESTONES.join(', ')}`);
    } else if (row.state === 'done' || row.state === 'part') {
      for (const problem of checkProof(row.proof, run, exists)) say(problem);
    } else say(`state "${row.state}" is none of: done, part, waits`);
  }
  return problems;
}

/**
 * @param {string} proof
 * @param {{ readonly results: readonly Result[] | null, readonly notRun: readonly string[] }} run
 * @param {(file: string) => boolean} exists
 * @returns {string[]}
 */
function checkProof(proof, run, exists) {
  const references = [...proof.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  if (references.length === 0) return ['names no test that proves it'];
  if (proof.replace(/`[^`]+`/g, '').replace(/[;\s]/g, '') !== '')
    return ['proof holds more than `file › test`, separated by ;'];
  return references.flatMap((text) => {
    const reference = parseReference(text);
    if (reference === null) return [`"${text}" does not read \`path/to/file.test.ts › full test name\``];
    if (!exists(reference.file)) return [`${reference.file} does not exist`];
    if (run.results === null || run.notRun.some((folder) => reference.file.startsWith(folder))) return [];
    const found = run.results.filter(
      (result) => result.file === reference.file && plainName(result.name) === reference.name,
    );
    if (found.length === 0) return [`no such test ran: ${text}`];
    return found.some((result) => result.outcome !== 'passed') ? [`did not pass: ${text}`] : [];
  });
}
