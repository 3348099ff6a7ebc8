/** Facts as text, for threads and caches: lists instead of objects, because names of properties would be most of it. */

import {
  type Arity,
  type Call,
  DEFINITION_KINDS,
  type Definition,
  type Export,
  type FileFacts,
  type Import,
  type ImportedName,
  type ImportKind,
  type Parameter,
  type SyntaxProblem,
  type Use,
} from './facts.ts';

/** Changes when texts of earlier versions cannot be read. */
export const CODEC_VERSION = 4;

export function encodeFacts(facts: FileFacts): string {
  return JSON.stringify([
    facts.language,
    facts.imports.map(({ kind, from, names, line, isGuarded }) => [
      kind,
      from,
      names.map(fromName),
      line,
      isGuarded ? 1 : 0,
    ]),
    facts.exports.map(({ name, local, line }) => [name, local, line]),
    facts.hasHiddenExports ? 1 : 0,
    facts.definitions.map(fromDefinition),
    facts.uses.map(fromUse),
    facts.memberUses.map(fromUse),
    facts.problems.map(({ line, message }) => [line, message]),
    facts.memberNames ?? null,
    facts.starNames ?? null,
    facts.accesses?.map(fromUse) ?? null,
    facts.augmented ?? null,
    facts.isScript ? 1 : 0,
    facts.narrowed ?? null,
    facts.expectedErrors ?? null,
  ]);
}

/** @returns null if the text is not one that {@link encodeFacts} made, such as of a damaged cache */
export function decodeFacts(text: string): FileFacts | null {
  try {
    return factsFrom(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Thrown and caught in this file only. */
class BadText extends Error {}

type List = readonly unknown[];

function factsFrom(value: unknown): FileFacts {
  const [language, imports, exports, hidden, definitions, uses, memberUses, problems, memberNames, starNames, ...rest] =
    list(value);
  const [accesses, augmented, isScript, narrowed, expectedErrors] = rest;
  return {
    language: text(language),
    imports: list(imports).map(toImport),
    exports: list(exports).map(toExport),
    hasHiddenExports: hidden === 1,
    definitions: list(definitions).map(toDefinition),
    uses: list(uses).map(toUse),
    memberUses: list(memberUses).map(toUse),
    ...(memberNames === null ? {} : { memberNames: list(memberNames).map(text) }),
    ...(starNames === null ? {} : { starNames: list(starNames).map(text) }),
    ...(accesses === null ? {} : { accesses: list(accesses).map(toUse) }),
    ...(augmented === null ? {} : { augmented: list(augmented).map(text) }),
    ...(narrowed === null ? {} : { narrowed: list(narrowed).map(text) }),
    ...(expectedErrors === null ? {} : { expectedErrors: list(expectedErrors).map(number) }),
    ...(isScript === 1 ? { isScript: true } : {}),
    problems: list(problems).map(toProblem),
  };
}

function fromName({ name, local, exportedAs, line, members }: ImportedName): List {
  return [name, local, exportedAs, line, members.map(fromUse)];
}

function fromDefinition(one: Definition): List {
  const { name, kind, container, line, endLine, signature } = one;
  return [
    name,
    kind,
    container,
    line,
    endLine,
    signature,
    one.arity && fromArity(one.arity),
    one.hasHiddenMembers ? 1 : 0,
    ...(one.type === undefined && one.bases === undefined ? [] : [one.type ?? null, one.bases ?? null]),
  ];
}

function fromArity({ least, most, parameters }: Arity): List {
  if (parameters === undefined) return [least, most];
  return [least, most, parameters.map(({ name, isOptional, by }) => [name, isOptional ? 1 : 0, by])];
}

/** Each call is three numbers, and names of arguments if it has any; all of them are one list. */
function fromUse({ name, lines, count, calls }: Use): List {
  const flat = calls?.flatMap((call) => [call.line, call.arguments, call.isOpen ? 1 : 0, call.names ?? 0]);
  return flat === undefined ? [name, count, lines] : [name, count, lines, flat];
}

function toImport(value: unknown): Import {
  const [kind, from, names, line, isGuarded] = list(value);
  return {
    kind: oneOf(kind, IMPORT_KINDS),
    from: text(from),
    names: list(names).map(toName),
    line: number(line),
    isGuarded: isGuarded === 1,
  };
}

function toName(value: unknown): ImportedName {
  const [name, local, exportedAs, line, members] = list(value);
  return {
    name: text(name),
    local: textOrNull(local),
    exportedAs: textOrNull(exportedAs),
    line: number(line),
    members: list(members).map(toUse),
  };
}

function toExport(value: unknown): Export {
  const [name, local, line] = list(value);
  return { name: text(name), local: textOrNull(local), line: number(line) };
}

function toDefinition(value: unknown): Definition {
  const [name, kind, container, line, endLine, signature, arity, hidden, type, bases] = list(value);
  return {
    name: text(name),
    kind: oneOf(kind, DEFINITION_KINDS),
    container: textOrNull(container),
    line: number(line),
    endLine: number(endLine),
    signature: text(signature),
    arity: arity === null ? null : toArity(arity),
    ...(hidden === 1 ? { hasHiddenMembers: true } : {}),
    ...((type ?? null) === null ? {} : { type: text(type) }),
    ...((bases ?? null) === null ? {} : { bases: list(bases).map(text) }),
  };
}

function toArity(value: unknown): Arity {
  const [least, most, parameters] = list(value);
  const arity = { least: number(least), most: most === null ? null : number(most) };
  if (parameters === undefined) return arity;
  return { ...arity, parameters: list(parameters).map(toParameter) };
}

function toParameter(value: unknown): Parameter {
  const [name, isOptional, by] = list(value);
  return { name: text(name), isOptional: isOptional === 1, by: oneOf(by, WAYS_TO_GIVE) };
}

function toUse(value: unknown): Use {
  const [name, count, lines, flat] = list(value);
  const use = { name: text(name), lines: list(lines).map(number), count: number(count) };
  if (flat === undefined) return use;
  const parts = list(flat);
  const calls: Call[] = [];
  for (let at = 0; at + 3 < parts.length; at += 4) {
    const [line, given, isOpen, names] = parts.slice(at, at + 4);
    const call = { line: number(line), arguments: number(given), isOpen: isOpen === 1 };
    calls.push(names === 0 ? call : { ...call, names: list(names).map(text) });
  }
  return { ...use, calls };
}

function toProblem(value: unknown): SyntaxProblem {
  const [line, message] = list(value);
  return { line: number(line), message: text(message) };
}

const WAYS_TO_GIVE: readonly Parameter['by'][] = ['place', 'name', 'either', 'rest', 'names'];
const IMPORT_KINDS: readonly ImportKind[] = ['static', 'type', 'dynamic', 'text'];

function list(value: unknown): List {
  if (!Array.isArray(value)) throw new BadText();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new BadText();
  return value;
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : text(value);
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new BadText();
  return value;
}

function oneOf<T>(value: unknown, all: readonly T[]): T {
  const found = all.find((one) => one === value);
  if (found === undefined) throw new BadText();
  return found;
}
