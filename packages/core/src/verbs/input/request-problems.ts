/** Says what is wrong with a request that does not match its schema, in words for its author. */
import type * as z from 'zod';
import { showName } from '../../content/show-name.ts';
import { nameFromJson } from '../../model/names.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export interface RequestProblem {
  /** Keys and indexes from the root of the request. */
  readonly path: Path;
  /** For example `missing`; reads well after the path and a colon. */
  readonly message: string;
}

/** If a value may have one of several forms (an edit, by its `op`), reports the problems of the form it was meant as. */
export function requestProblems(issues: readonly Issue[], request: unknown): readonly RequestProblem[] {
  return issues.flatMap((issue) => problemsOf(issue, [], request));
}

/** One line for people. Files and edits count from 1: `file 2 (src/a.ts), edit 1: new_string: missing`. */
export function editProblemText({ path, message }: RequestProblem, request: unknown): string {
  const [first, file, second, edit] = path;
  if (first !== 'files' || typeof file !== 'number') return [...path.map(String), message].join(': ');
  const isOfEdit = second === 'edits' && typeof edit === 'number';
  const given = valueAt(request, ['files', file, 'file_path']);
  const name = typeof given === 'string' ? ` (${showName(nameFromJson(given))})` : '';
  const place = `file ${file + 1}${name}${isOfEdit ? `, edit ${edit + 1}` : ''}`;
  return [place, ...path.slice(isOfEdit ? 4 : 2).map(String), message].join(': ');
}

function problemsOf(issue: Issue, parent: Path, request: unknown): readonly RequestProblem[] {
  const path = [...parent, ...issue.path];
  const given = valueAt(request, path);
  if (issue.code === 'invalid_union') return problemsOfForms(issue.errors, path, request);
  return [{ path, message: messageOf(issue, given) }];
}

function problemsOfForms(
  forms: readonly (readonly Issue[])[],
  path: Path,
  request: unknown,
): readonly RequestProblem[] {
  const given = valueAt(request, path);
  const sameType = forms.filter((issues) => !issues.some((issue) => issue.code === 'invalid_type' && isAt(issue, 0)));
  if (sameType.length === 0) {
    const types = forms.flat().flatMap((issue) => (issue.code === 'invalid_type' ? [typeText(issue.expected)] : []));
    return [{ path, message: wrongType([...new Set(types)], given) }];
  }
  const meant = sameType.find((issues) => !issues.some((issue) => issue.code === 'invalid_value' && isAt(issue, 1)));
  if (meant !== undefined) return meant.flatMap((issue) => problemsOf(issue, path, request));
  const choices = sameType.flat().flatMap((issue) => (issue.code === 'invalid_value' && isAt(issue, 1) ? [issue] : []));
  const key = choices[0]?.path[0] ?? '';
  const values = choices.flatMap((issue) => issue.values);
  return [{ path: [...path, key], message: oneOf(values, valueAt(given, [key])) }];
}

function isAt({ path }: Issue, depth: number): boolean {
  return path.length === depth;
}

function messageOf(issue: Issue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType([typeText(issue.expected)], given);
    case 'unrecognized_keys':
      return `unknown key${issue.keys.length === 1 ? '' : 's'} ${issue.keys.map(shown).join(', ')}`;
    case 'invalid_value':
      return oneOf(issue.values, given);
    case 'too_small':
      if (issue.origin === 'array') return 'must not be empty';
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at least ${issue.minimum}` : issue.message;
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at most ${issue.maximum}` : issue.message;
    default:
      return issue.message;
  }
}

function oneOf(values: readonly unknown[], given: unknown): string {
  if (given === undefined) return 'missing';
  return `must be ${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}, not ${shown(given)}`;
}

function wrongType(expected: readonly string[], given: unknown): string {
  if (given === undefined) return 'missing';
  const found = given === null ? 'null' : typeText(Array.isArray(given) ? 'array' : typeof given);
  return `must be ${expected.join(' or ')}, not ${typeof given === 'number' && expected.includes('a whole number') ? shown(given) : found}`;
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function typeText(type: string): string {
  return TYPES[type] ?? type;
}

const MAX_SHOWN = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Follows own keys only. */
function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    return (at as Record<PropertyKey, unknown>)[key];
  }, value);
}
