/** The checks that `.savepoint.json` defines. */

import { parseChecks, type WrittenCheck } from '../../config/check-settings.ts';
import { PROJECT_FILE } from '../../config/read-settings.ts';
import { JsonProblem, readJson } from '../../content/strict-json.ts';
import { bytesFromText, type TreePath } from '../../model/names.ts';
import type { Check } from '../check.ts';
import type { ProjectFiles } from './project-files.ts';
import { isObject } from './project-folder.ts';

export interface WrittenInProject {
  readonly checks: readonly Check[];
  /** Names of checks that are found and must not run. */
  readonly leftOut: ReadonlySet<string>;
  readonly notes: readonly string[];
}

const FILE = PROJECT_FILE as TreePath;
const LOCAL_PROGRAMS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

/** A mistake in one check leaves out that check, with a note. */
export function writtenChecks(files: ProjectFiles): WrittenInProject {
  const none = { checks: [], leftOut: new Set<string>() };
  const bytes = files.read(FILE);
  if (bytes === null) return { ...none, notes: [] };
  let json: unknown;
  try {
    json = readJson(bytes.toString('utf8').replace(/^\ufeff/, ''), { keys: 'once-any-name' });
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { ...none, notes: [`${PROJECT_FILE} ${error.message}, so its checks are unknown.`] };
  }
  if (!isObject(json) || !Object.hasOwn(json, 'checks')) return { ...none, notes: [] };
  const { checks, leftOut, problems } = parseChecks(json['checks']);
  return {
    checks: checks.map(checkOf),
    leftOut: new Set(leftOut),
    notes: problems.map(({ key, message }) => `${PROJECT_FILE}: ${key} ${message}.`),
  };
}

function checkOf(written: WrittenCheck): Check {
  const { name, kind, format, timeoutMs, onRequest, reads } = written;
  const [program = '', ...args] = written.command;
  return {
    name,
    tool: name,
    kind,
    folder: bytesFromText(written.folder) as TreePath,
    program: { name: program, beside: program.includes('/') ? [] : LOCAL_PROGRAMS, inPath: !program.includes('/') },
    args,
    env: {},
    format,
    definedBy: [{ file: FILE, part: `checks.${name}`, text: JSON.stringify(written) }],
    runs: null,
    onRequest,
    reads: reads?.map((path) => bytesFromText(path) as TreePath) ?? null,
    timeoutMs,
  };
}
