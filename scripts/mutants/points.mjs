// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOP } from '../steps.mjs';

/**
 * Finds the points to remove: syncs, renames and checks in the code that must not lose data, and branches in the code
 * that attributes changes or selects what to roll back. It can also add a switch at each point: `globalThis.isOut(id)`
 * records that the point was reached, and returns whether it is removed.
 */

/**
 * @typedef {object} Point
 * @property {string} file from the top, with slashes
 * @property {number} line from 1
 * @property {'sync' | 'rename' | 'lock' | 'check' | 'branch'} what
 * @property {string} text the line, trimmed; with the file it identifies the point in the list of harmless ones
 * @property {number} from offset of the removed code
 * @property {number} to
 * @property {number} id
 */

const CORE = 'packages/core/src';

/** @type {readonly { readonly folder: string, readonly only?: RegExp, readonly branches?: boolean }[]} */
const PLACES = [
  { folder: `${CORE}/transaction` },
  { folder: `${CORE}/store` },
  { folder: `${CORE}/store/objects` },
  { folder: `${CORE}/store/objects/packs` },
  { folder: `${CORE}/store/refs` },
  { folder: `${CORE}/store/snapshot` },
  { folder: `${CORE}/store/state` },
  { folder: `${CORE}/rewind`, branches: true },
  { folder: `${CORE}/session`, branches: true },
  { folder: `${CORE}/timeline/activity`, branches: true },
  { folder: `${CORE}/timeline/capture`, only: /^(attribution|own-rewind)\.ts$/, branches: true },
  { folder: `${CORE}/io`, only: /^(durable-write|folder-walk|remove-tree|safe-path)\.ts$/ },
];

/** @type {readonly { what: Point['what'], call: RegExp }[]} */
const CALLS = [
  { what: 'sync', call: /(?:[\w#]+\.)*(?:sync|syncAll|syncFolders?|syncIfAllowed)\(/g },
  { what: 'rename', call: /(?:[\w#]+\.)*(?:rename|moveWithoutReplacing)\(/g },
  { what: 'lock', call: /(?:[\w#]+\.)*#?assertHeld\(/g },
];

/** @returns {Point[]} */
export function allPoints() {
  return PLACES.flatMap(({ folder, only, branches = false }) =>
    readdirSync(join(TOP, folder))
      .filter((name) => name.endsWith('.ts') && (only === undefined || only.test(name)))
      .flatMap((name) => pointsIn(`${folder}/${name}`, branches)),
  ).map((point, id) => ({ ...point, id }));
}

/**
 * @param {string} source of the file that contains all `points`
 * @param {readonly Point[]} points
 */
export function withSwitches(source, points) {
  let code = source;
  for (const { from, to, what, id } of [...points].sort((a, b) => b.from - a.from)) {
    const original = code.slice(from, to);
    const isOut = `globalThis.isOut(${id})`;
    // A condition may have side effects: it is still evaluated, only the refusal is removed.
    const instead =
      what === 'check' || what === 'branch'
        ? `(${isOut}, ${original}) && !${isOut}`
        : `(${isOut} ? undefined : ${original})`;
    code = code.slice(0, from) + instead + code.slice(to);
  }
  return code;
}

/**
 * @param {string} file
 * @param {boolean} branches whether every `if` is a point, or only those that refuse
 * @returns {Point[]}
 */
function pointsIn(file, branches) {
  const source = readFileSync(join(TOP, file), 'utf8');
  const code = withoutComments(source);
  /** @type {Point[]} */
  const points = [];
  /** @type {(what: Point['what'], from: number, to: number) => void} */
  const add = (what, from, to) => {
    const line = source.slice(0, from).split('\n').length;
    points.push({ file, line, what, text: (source.split('\n')[line - 1] ?? '').trim(), from, to, id: -1 });
  };
  for (const { what, call } of CALLS) {
    for (const match of code.matchAll(call)) {
      const open = match.index + match[0].length - 1;
      const to = closing(code, open) + 1;
      const isDefined =
        /(?:function|async|^)\s*$/.test(lineBefore(code, match.index)) && /^\s*(?::[^;]*)?\{/.test(code.slice(to));
      if (isDefined || /^\s*:/.test(code.slice(to))) continue;
      add(what, match.index, to);
    }
  }
  for (const match of code.matchAll(/\bif \(/g)) {
    const open = match.index + match[0].length - 1;
    const close = closing(code, open);
    // A check is a condition that refuses; a branch is any other. Conditions that only rethrow our own bugs are
    // neither.
    if (/instanceof|isExpected|!isFsError\(\w+\)/.test(code.slice(open, close))) continue;
    if (/^\)\s*\{?\s*(?:throw\b|foreign\.push|return damaged)/.test(code.slice(close))) add('check', open + 1, close);
    else if (branches) add('branch', open + 1, close);
  }
  return points.sort((a, b) => a.from - b.from);
}

/**
 * Replaces comments with blanks of the same length.
 * @param {string} source
 */
function withoutComments(source) {
  const blank = (/** @type {string} */ text) => text.replace(/[^\n]/g, ' ');
  return source.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|\s)\/\/[^\n]*/g, blank);
}

/**
 * @param {string} code
 * @param {number} open position of the opening parenthesis
 */
function closing(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth += 1;
    else if (code[at] === ')' && --depth === 0) return at;
  }
  throw new Error('a parenthesis that never closes');
}

/**
 * @param {string} code
 * @param {number} at
 */
function lineBefore(code, at) {
  return code.slice(code.lastIndexOf('\n', at - 1) + 1, at);
}
