/** Removes from texts of tools what changes between two runs of the same code. */

import { joinRelative, WORKSPACE_ITSELF } from '../../model/names.ts';

/** Where a check ran. Text, with slashes, without one at the end. */
export interface RunPaths {
  /** The workspace, as the command saw it, and by other names that it may print. */
  readonly roots: readonly string[];
  /** The check's folder, relative to the workspace; '' is the workspace itself. */
  readonly folder: string;
}

export const MAX_MESSAGE = 1_000;
const MAX_SHOWN = 2_000;
const MAX_PATH = 4_096;

// Terminal sequences: colours, cursor movements, titles.
const SEQUENCES = /\x1b(?:\[[0-9;:?]*[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)?|[@-Z\\^_])/g;

const VOLATILE: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b0x[0-9a-f]{4,16}\b/gi, '<address>'],
  [/\b((?:localhost|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])):\d{2,5}\b/g, '$1:<port>'],
  [
    /(?:\/private)?(?:\/var\/folders\/[\w+-]{1,10}\/[\w+-]{1,60}\/T|\/tmp|\/var\/tmp|\/dev\/shm)\/[\w.+@-]{1,200}/g,
    '<tmp>',
  ],
  [/\b\d{1,12}(?:\.\d{1,12})?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|milliseconds?|minutes?|min)\b/g, '<duration>'],
  [/\((?:\d{1,7}),\s?(?:\d{1,7})\)/g, ''],
  [/(\.\w{1,10}):\d{1,7}(?::\d{1,7})?\b/g, '$1'],
  [/\b(line|lines|column|col|ln)\s?:?\s?\d{1,7}\b/gi, '$1'],
  [/\b(pid|process)\s?[:=]?\s?\d{1,10}\b/gi, '$1'],
];

/** Returns one line: without positions, durations, addresses and absolute paths of the run. */
export function cleanMessage(text: string, paths: RunPaths): string {
  let clean = withoutRoots(oneLine(text), paths).slice(0, 4 * MAX_MESSAGE);
  for (const [pattern, by] of VOLATILE) clean = clean.replace(pattern, by);
  return clean.trim().slice(0, MAX_MESSAGE);
}

/** Returns a line to display, with positions, and without the folder of the run. It may contain unsafe characters. */
export function shownLine(text: string, paths: RunPaths): string {
  return withoutRoots(oneLine(text), paths).slice(0, MAX_SHOWN);
}

/** Returns the text without sequences for terminals. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '');
}

/**
 * Returns a path that a tool printed, relative to the workspace. Null if it is not inside of it, or not a path.
 * @param from where relative paths start; default: the check's folder
 */
export function pathInProject(given: string, { roots, folder }: RunPaths, from: string = folder): string | null {
  const path = given
    .trim()
    .replace(/^file:\/\//, '')
    .replaceAll('\\', '/');
  if (path === '' || path.length > MAX_PATH || path.includes('\0')) return null;
  if (!path.startsWith('/') && !/^[A-Za-z]:\//.test(path)) return belowRoot(`${from}/${path}`);
  const root = roots.find((one) => path.startsWith(`${one}/`));
  return root === undefined ? null : belowRoot(path.slice(root.length + 1));
}

/** At most this much of a long text is considered. */
function oneLine(text: string): string {
  return plainText(text.slice(0, 8 * MAX_MESSAGE)).replace(/\s+/g, ' ');
}

function withoutRoots(text: string, { roots }: RunPaths): string {
  let rest = text;
  for (const root of roots)
    rest = rest.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '').replaceAll(root, '.');
  return rest;
}

function belowRoot(path: string): string | null {
  return joinRelative(WORKSPACE_ITSELF, path) || null;
}
