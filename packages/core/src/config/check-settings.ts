/** The checks that a project writes into `.savepoint.json`. They run only after `savepoint trust`. */

import { isFolderInside } from './folder-inside.ts';

export const CHECK_KINDS = ['syntax', 'types', 'lint', 'tests', 'build'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** The formats of output that are understood. `lines`: any text; the exit status decides. */
export const OUTPUT_FORMATS = [
  'tsc',
  'eslint',
  'biome',
  'test-json',
  'ruff',
  'mypy',
  'pyright',
  'junit',
  'go-vet',
  'go-test',
  'cargo',
  'lines',
] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface WrittenCheck {
  readonly name: string;
  /** A program with its arguments. */
  readonly command: readonly string[];
  /** Default: tests. */
  readonly kind: CheckKind;
  readonly format: OutputFormat;
  /** Relative to the workspace, with slashes; '' is the workspace itself. */
  readonly folder: string;
  /** In milliseconds; null: the default. */
  readonly timeoutMs: number | null;
  /** Runs only if its name or kind is given. */
  readonly onRequest: boolean;
  /** The only files and folders of the workspace that it reads, with slashes. Absent: it may read anything. */
  readonly reads?: readonly string[];
}

export interface WrittenChecks {
  readonly checks: readonly WrittenCheck[];
  /** Names of checks that are found and must not run. */
  readonly leftOut: readonly string[];
  /** Each completes a sentence that starts with the key. */
  readonly problems: readonly { readonly key: string; readonly message: string }[];
}

export const MAX_TIMEOUT_MINUTES = 1_440;
export const CHECK_NAME = '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}$';

const MAX_CHECKS = 100;
const MAX_ARGUMENTS = 200;
const ARGUMENT_CHARACTERS = 10_000;
const MAX_READS = 1_000;
const FIELDS: ReadonlySet<string> = new Set([
  'command',
  'kind',
  'format',
  'folder',
  'timeout_minutes',
  'on_request',
  'reads',
]);
const MINUTE = 60_000;

export function parseChecks(value: unknown): WrittenChecks {
  if (!isObject(value)) return refused('checks', 'must be an object: the name of each check with its command');
  const entries = Object.entries(value);
  if (entries.length > MAX_CHECKS) return refused('checks', `has more than ${MAX_CHECKS} checks`);
  const checks: WrittenCheck[] = [];
  const leftOut: string[] = [];
  const problems: WrittenChecks['problems'][number][] = [];
  for (const [name, written] of entries) {
    const key = `checks.${name.slice(0, 100)}`;
    const problem = problemOf(name, written);
    if (problem !== null) problems.push({ key, message: problem });
    else if (written === false) leftOut.push(name);
    else checks.push(checkOf(name, written as CheckJson));
  }
  return { checks, leftOut, problems };
}

/** A check in the file, after its validation. */
interface CheckJson {
  readonly command: readonly string[];
  readonly kind?: CheckKind;
  readonly format?: OutputFormat;
  readonly folder?: string;
  readonly timeout_minutes?: number;
  readonly on_request?: boolean;
  readonly reads?: readonly string[];
}

function problemOf(name: string, written: unknown): string | null {
  if (!new RegExp(CHECK_NAME).test(name)) return 'is not a name: use letters, digits, `.`, `_`, `:`, `/`, `@` and `-`';
  if (written === false) return null;
  if (!isObject(written)) return 'must be an object with a command, or false to leave out a check';
  const unknown = Object.keys(written).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) return `has the unknown key ${JSON.stringify(unknown.slice(0, 80))}`;
  const { command, kind = 'tests', format = 'lines', folder = '', timeout_minutes = 1, on_request = false } = written;
  if (!Array.isArray(command) || command.length === 0 || command.length > MAX_ARGUMENTS || !command.every(isArgument))
    return 'must have a command: a list of the program and its arguments';
  if (command[0] === '') return 'has a command without a program';
  if (!CHECK_KINDS.some((one) => one === kind)) return `has an unknown kind; there are ${CHECK_KINDS.join(', ')}`;
  if (!OUTPUT_FORMATS.some((one) => one === format))
    return `has an unknown format; there are ${OUTPUT_FORMATS.join(', ')}`;
  if (folder !== '' && folder !== '.' && !isFolderInside(folder))
    return 'has a folder that is not inside the workspace';
  if (typeof timeout_minutes !== 'number' || !(timeout_minutes > 0 && timeout_minutes <= MAX_TIMEOUT_MINUTES))
    return `has a timeout_minutes that is not between 0 and ${MAX_TIMEOUT_MINUTES}`;
  if (typeof on_request !== 'boolean') return 'has an on_request that is not true or false';
  const { reads = ['.'] } = written;
  const isList = Array.isArray(reads) && reads.length > 0 && reads.length <= MAX_READS;
  return isList && reads.every((one) => one === '.' || isFolderInside(one))
    ? null
    : 'has reads that are not a list of files and folders inside the workspace';
}

function checkOf(name: string, json: CheckJson): WrittenCheck {
  const { command, kind = 'tests', format = 'lines', folder = '', timeout_minutes, on_request = false, reads } = json;
  return {
    name,
    command,
    kind,
    format,
    folder: folder === '.' ? '' : folder.replace(/\/$/, ''),
    timeoutMs: timeout_minutes === undefined ? null : timeout_minutes * MINUTE,
    onRequest: on_request,
    // What was trusted before this key existed stays trusted.
    ...(reads === undefined || reads.includes('.') ? {} : { reads: reads.map((one) => one.replace(/\/$/, '')) }),
  };
}

function refused(key: string, message: string): WrittenChecks {
  return { checks: [], leftOut: [], problems: [{ key, message }] };
}

function isArgument(value: unknown): value is string {
  return typeof value === 'string' && value.length <= ARGUMENT_CHARACTERS && !value.includes('\0');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
