/** Parses one configuration file. Strict: anything that is not understood is reported. */

import { closest } from '../content/closest.ts';
import { JsonProblem, readJson } from '../content/strict-json.ts';
import { parseChecks } from './check-settings.ts';
import { isFolderInside } from './folder-inside.ts';
import {
  describeAllowed,
  OPTION_KEYS,
  OPTIONS,
  type OptionKey,
  type OptionSpec,
  type SettingValue,
  specOf,
} from './options.ts';

export interface ConfigProblem {
  /** As written in the file. Null if the problem is about the whole file. */
  readonly key: string | null;
  readonly message: string;
}

export interface ParsedFile {
  readonly values: ReadonlyMap<OptionKey, SettingValue>;
  readonly problems: readonly ConfigProblem[];
  /** Keys that are not options, with their values. */
  readonly unknown: readonly (ConfigProblem & { readonly key: string; readonly value: string })[];
}

const NO_VALUES: ReadonlyMap<OptionKey, SettingValue> = new Map();

const MAX_PATTERNS = 1_000;
const PATTERN_CHARACTERS = 1_000;
const SHOWN_CHARACTERS = 60;

/** Keys that contain others: `triggers.before_write` is written as `before_write` in `triggers`. */
const GROUPS: ReadonlySet<string> = new Set(
  OPTION_KEYS.flatMap((key) => (key.includes('.') ? [key.slice(0, key.indexOf('.'))] : [])),
);
const TRIGGERS = OPTION_KEYS.filter((key) => key.startsWith('triggers.')).map((key) => key.slice('triggers.'.length));

/** @param of only a project's file can have checks */
export function parseSettings(text: string, of: 'user' | 'project'): ParsedFile {
  let json: unknown;
  try {
    json = readJson(text, { keys: 'once-any-name' });
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { values: NO_VALUES, problems: [{ key: null, message: error.message }], unknown: [] };
  }
  if (!isObject(json)) {
    return { values: NO_VALUES, problems: [{ key: null, message: 'is not a JSON object' }], unknown: [] };
  }
  const draft = new Draft(of);
  for (const [key, value] of Object.entries(json)) draft.addTopLevel(key, value);
  return draft;
}

class Draft implements ParsedFile {
  readonly values = new Map<OptionKey, SettingValue>();
  readonly problems: ConfigProblem[] = [];
  readonly unknown: ParsedFile['unknown'][number][] = [];
  readonly #of: 'user' | 'project';

  constructor(of: 'user' | 'project') {
    this.#of = of;
  }

  addTopLevel(key: string, value: unknown): void {
    if (key === '$schema') {
      if (typeof value !== 'string') this.problems.push({ key, message: 'must be a string' });
    } else if (key === 'checks' && this.#of === 'project') {
      // Savepoint runs them only after `savepoint trust`. A mistake there must not prevent protection.
      for (const problem of parseChecks(value).problems) this.unknown.push({ ...problem, value: shortJson(value) });
    } else if (GROUPS.has(key)) this.#group(key, value);
    else if (isOptionKey(key) && !key.includes('.')) this.#option(key, value);
    else this.#unknown(key, value, [...OPTION_KEYS.filter((known) => !known.includes('.')), ...GROUPS]);
  }

  #group(group: string, value: unknown): void {
    if (group === 'triggers' && Array.isArray(value)) {
      this.#triggerList(value);
      return;
    }
    if (!isObject(value)) {
      const form = group === 'triggers' ? 'an object, or a list of triggers to turn on' : 'an object';
      this.problems.push({ key: group, message: `must be ${form}; it is ${shortJson(value)}` });
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      const key = `${group}.${name}`;
      if (isOptionKey(key)) this.#option(key, inner);
      else
        this.#unknown(
          key,
          inner,
          OPTION_KEYS.filter((known) => known.startsWith(`${group}.`)),
        );
    }
  }

  /** A list names the triggers that are on. All others are off. */
  #triggerList(names: readonly unknown[]): void {
    for (const name of names) {
      if (!TRIGGERS.some((known) => known === name)) {
        this.problems.push({ key: 'triggers', message: `has ${shortJson(name)}; there are ${TRIGGERS.join(', ')}` });
      }
    }
    for (const name of TRIGGERS) this.values.set(`triggers.${name}` as OptionKey, names.includes(name));
  }

  #option(key: OptionKey, value: unknown): void {
    const spec = specOf(key);
    const problem = problemWith(spec, value);
    if (problem === null) this.values.set(key, value as SettingValue);
    else this.problems.push({ key, message: problem });
  }

  #unknown(key: string, value: unknown, known: readonly string[]): void {
    const near = closest(key.replaceAll('-', '_'), known);
    const hint = near === null ? `there are ${known.join(', ')}` : `did you mean ${near}?`;
    this.unknown.push({
      key: key.slice(0, SHOWN_CHARACTERS),
      value: shortJson(value),
      message: `is not an option; ${hint}`,
    });
  }
}

function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

function problemWith(spec: OptionSpec, value: unknown): string | null {
  return isValidValue(spec, value) ? null : `must be ${describeAllowed(spec)}; it is ${shortJson(value)}`;
}

function isValidValue({ kind }: OptionSpec, value: unknown): boolean {
  switch (kind.type) {
    case 'switch':
      return typeof value === 'boolean';
    case 'whole':
      return typeof value === 'number' && Number.isInteger(value) && value >= kind.least && value <= kind.most;
    case 'text':
      return typeof value === 'string' && new RegExp(kind.pattern, 's').test(value) && !/[\0\r\n]/.test(value);
    case 'choice':
      return kind.of.some((one) => one === value);
    case 'patterns':
      return (
        Array.isArray(value) &&
        value.length <= MAX_PATTERNS &&
        value.every((item) => (kind.of === 'folders' ? isFolderInside(item) : isPattern(item, kind.of === 'paths')))
      );
  }
}

/** A `!` would negate another pattern, perhaps one from another file. */
function isPattern(pattern: unknown, ofPaths: boolean): boolean {
  if (typeof pattern !== 'string' || pattern.length > PATTERN_CHARACTERS || /[\0\r\n]/.test(pattern)) return false;
  return pattern.trim() !== '' && !(ofPaths && /^[!#]/.test(pattern));
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
