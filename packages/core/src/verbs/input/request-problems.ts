/** Says what is wrong with a request that does not match its schema, in words for its author. */
import type * as z from 'zod';
import { closest } from '../../content/closest.ts';
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

/**
 * If a value may have one of several forms (an edit, by its `op`), reports the problems of the form it was meant as. An
 * unknown key comes with the key that was probably meant.
 * @param schema the schema that the request does not match
 */
export function requestProblems(
  issues: readonly Issue[],
  request: unknown,
  schema: z.core.$ZodType,
): readonly RequestProblem[] {
  const found = issues.flatMap((issue) => problemsOf(issue, { path: [], schemas: [schema] }, request));
  const meant = new Set(found.flatMap(({ path, meant = [] }) => meant.map((key) => pathKey([...path, key]))));
  return found
    .filter(({ path, message }) => message !== MISSING || !meant.has(pathKey(path)))
    .map(({ path, message }) => ({ path, message }));
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

interface Found extends RequestProblem {
  /** The keys that unknown keys of this object were meant as. */
  readonly meant?: readonly string[];
}

/** A place in the request, and the schemas that it may match. */
interface Place {
  readonly path: Path;
  readonly schemas: readonly z.core.$ZodType[];
}

const MISSING = 'missing';

function pathKey(path: Path): string {
  return JSON.stringify(path);
}

function problemsOf(issue: Issue, parent: Place, request: unknown): readonly Found[] {
  const path = [...parent.path, ...issue.path];
  const schemas = issue.path.reduce<readonly z.core.$ZodType[]>(
    (found, key) => found.flatMap((schema) => fieldOf(schema, key)),
    parent.schemas,
  );
  const given = valueAt(request, path);
  if (issue.code === 'invalid_union') return problemsOfForms(issue.errors, { path, schemas }, request);
  if (issue.code === 'unrecognized_keys') return [unknownKeys(issue.keys, { path, schemas }, given)];
  return [{ path, message: messageOf(issue, given) }];
}

function problemsOfForms(
  forms: readonly (readonly Issue[])[],
  { path, schemas }: Place,
  request: unknown,
): readonly Found[] {
  const given = valueAt(request, path);
  const sameType = forms.filter((issues) => !issues.some((issue) => issue.code === 'invalid_type' && isAt(issue, 0)));
  if (sameType.length === 0) {
    const types = forms.flat().flatMap((issue) => (issue.code === 'invalid_type' ? [typeText(issue.expected)] : []));
    return [{ path, message: wrongType([...new Set(types)], given) }];
  }
  const meant = sameType.find((issues) => !issues.some((issue) => issue.code === 'invalid_value' && isAt(issue, 1)));
  if (meant !== undefined) {
    const form = schemas.flatMap(formsOf)[forms.indexOf(meant)];
    const place = { path, schemas: form === undefined ? schemas : [form] };
    return meant.flatMap((issue) => problemsOf(issue, place, request));
  }
  const choices = sameType.flat().flatMap((issue) => (issue.code === 'invalid_value' && isAt(issue, 1) ? [issue] : []));
  const key = choices[0]?.path[0] ?? '';
  const values = choices.flatMap((issue) => issue.values);
  return [{ path: [...path, key], message: oneOf(values, valueAt(given, [key])) }];
}

function unknownKeys(keys: readonly string[], { path, schemas }: Place, given: unknown): Found {
  const known = schemas
    .flatMap(formsOf)
    .flatMap((schema) => (isMeant(schema, given) ? Object.keys(shapeOf(schema) ?? {}) : []));
  const free = known.filter((key) => valueAt(given, [key]) === undefined);
  const meant = keys.map((key) => keyMeantBy(key, free));
  const texts = keys.map((key, index) => {
    const better = meant[index] ?? null;
    return `unknown key ${shown(key)}${better === null ? '' : `; use ${better}`}`;
  });
  const list = meant.includes(null) && known.length > 0 ? ` (known keys: ${[...new Set(known)].join(', ')})` : '';
  return { path, message: `${texts.join(', ')}${list}`, meant: meant.filter((key) => key !== null) };
}

/** Whether the value may be meant as this form: its constants match, such as `op`. */
function isMeant(schema: z.core.$ZodType, given: unknown): boolean {
  return Object.entries(shapeOf(schema) ?? {}).every(([key, field]) => {
    const [def] = formsOf(field).map((form) => (form as z.core.$ZodTypes)._zod.def);
    if (def?.type !== 'literal') return true;
    const value = valueAt(given, [key]);
    const isOptional = (field as z.core.$ZodTypes)._zod.def.type === 'optional';
    return value === undefined ? isOptional : def.values.some((each) => each === value);
  });
}

/** `oldString`, `old-string`, `OLD_STRING`, `olds_tring` and `old` all mean `old_string`. */
function keyMeantBy(given: string, known: readonly string[]): string | null {
  const plain = (key: string): string => key.toLowerCase().replace(/[_-]/g, '');
  const word = plain(given);
  const same = known.find((key) => plain(key) === word);
  if (same !== undefined) return same;
  const near = closest(given, known, given.length < 5 ? 1 : 2);
  if (near !== null) return near;
  const parts = known.filter((key) => word.length > 2 && (plain(key).startsWith(word) || plain(key).endsWith(word)));
  return parts.length === 1 ? (parts[0] as string) : null;
}

/** The schemas of a field or an item. */
function fieldOf(schema: z.core.$ZodType, key: PropertyKey): readonly z.core.$ZodType[] {
  return formsOf(schema).flatMap((form) => {
    const { def } = (form as z.core.$ZodTypes)._zod;
    if (def.type === 'array') return [def.element];
    const field = shapeOf(form)?.[String(key)];
    return field === undefined ? [] : [field];
  });
}

/** The fields of an object. Reads the definition, because loading zod takes longer than most commands. */
function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'object' ? def.shape : null;
}

/** The forms that a value may have, in the order in which zod reports their errors. */
function formsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return formsOf(def.innerType);
  return def.type === 'union' ? def.options : [schema];
}

function isAt({ path }: Issue, depth: number): boolean {
  return path.length === depth;
}

function messageOf(issue: Issue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType([typeText(issue.expected)], given);
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
  if (given === undefined) return MISSING;
  return `must be ${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}, not ${shown(given)}`;
}

function wrongType(expected: readonly string[], given: unknown): string {
  if (given === undefined) return MISSING;
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
