import type { Comment, OxcError, ParseResult, ParserOptions, Program } from 'oxc-parser';
import type { TreePath } from '../../../model/names.ts';
import type { FileFacts, SyntaxProblem, Use } from '../../facts.ts';
import type { FactExtractor } from '../../language.ts';
import { unreadFacts } from '../unread-facts.ts';
import { accessesOf, narrowedOf, typedDefinitions } from './accesses.ts';
import { readCommonJs } from './commonjs.ts';
import { readDefinitions } from './definitions.ts';
import { isTypeScript } from './is-typescript.ts';
import { readModuleDeclarations } from './modules.ts';
import { closedImport, UseTable } from './names.ts';
import { type ChildKeys, Reading } from './reading.ts';
import { type Source, scriptsOf } from './scripts.ts';
import { walk } from './walk.ts';

/** Larger files are generated. They have no facts, and their exports are not known. */
const LARGEST = 5 * 1024 * 1024;
/**
 * Files from this size on that have this many bytes per line are minified: parsing them takes memory and time like hundreds of
 * files, and they are made of others.
 */
const MINIFIED = { bytes: 256 * 1024, bytesPerLine: 400 };
/** How far the line may be that a comment excuses. */
const LONGEST_COMMENT = 2000;
/** A file with a NUL byte among its first ones is binary, as for git. */
const LOOKED_AT = 8000;

/**
 * How deep brackets may be nested. The parser is native code, and ends the process at 3,000 to 10,000 of them. Other
 * constructs can be nested, too, so programs of other people are best read in a process of their own.
 */
const DEEPEST = 1000;

/** What is used of the parser. */
export interface Parser {
  readonly parseSync: (name: string, text: string, options?: ParserOptions) => ParseResult;
  readonly visitorKeys: ChildKeys;
}

export function extractor(parser: Parser): FactExtractor {
  return (bytes, path) => {
    if (bytes.length > LARGEST || isMinified(bytes) || bytes.subarray(0, LOOKED_AT).includes(0))
      return unreadFacts('javascript');
    const text = new TextDecoder().decode(bytes);
    if (depthOf(bytes) > DEEPEST) return unreadFacts('javascript');
    try {
      return factsOf(scriptsOf(text, path), path, parser);
    } catch {
      // Such as code that is nested deeper than the stack.
      return unreadFacts('javascript');
    }
  };
}

function factsOf(source: Source, path: TreePath, parser: Parser): FileFacts {
  const { program, errors, comments } = parsed(source, parser);
  const reading = new Reading(source.text, parser.visitorKeys, isTypeScript(source.name));
  const problems = errors.map(
    ({ message, labels }): SyntaxProblem => ({ line: reading.lineOf(labels[0]?.start ?? 0), message }),
  );
  if (program.body.length === 0 && problems.length > 0) return unreadFacts('javascript', problems);
  readModuleDeclarations(program, reading);
  const isModule = program.body.some(({ type }) => /^(?:Import|Export|TSExport)/.test(type));
  if (!isModule) readCommonJs(program, reading);
  readDefinitions(program, reading);
  walk(program, reading.module, reading);
  const isComponent = !/\.[cm]?[jt]sx?$/.test(path);
  const uses = lookedUp(reading);
  return {
    language: 'javascript',
    imports: reading.imports.map(closedImport),
    exports: reading.exports,
    hasHiddenExports: reading.hasHiddenExports || isComponent,
    definitions: typedDefinitions(reading),
    uses,
    memberUses: reading.memberUses.all(),
    memberNames: [...reading.memberNames],
    accesses: reading.isTyped ? accessesOf(reading) : [],
    ...listed('narrowed', reading.isTyped ? narrowedOf(reading) : []),
    ...listed('expectedErrors', reading.isTyped ? expectedErrors(comments, reading) : []),
    ...listed('augmented', [...reading.augmented]),
    ...(isModule || !reading.isTyped || isComponent ? {} : { isScript: true }),
    problems,
  };
}

interface Parsed {
  readonly program: Program;
  readonly errors: readonly OxcError[];
  readonly comments: readonly Comment[];
}

/** Parses a file as a module, and as a script if it is none. */
function parsed(source: Source, parser: Parser): Parsed {
  const result = read('module');
  const { errors } = result;
  if (errors.length === 0 || !/\.jsx?$/.test(source.name)) return result;
  const script = read('script');
  return script.errors.length < errors.length ? script : result;

  function read(sourceType: 'module' | 'script'): Parsed {
    const options: ParserOptions = {
      ...(/\.cjs$/.test(source.name) ? {} : { sourceType }),
      // Many projects have JSX in files with the ending `.js`.
      ...(/\.[cm]?js$/.test(source.name) ? { lang: 'jsx' } : {}),
    };
    const result = parser.parseSync(source.name, source.text, options);
    const { program, comments } = result;
    return { program, comments, errors: result.errors.filter(({ severity }) => severity === 'Error') };
  }
}

function listed<Key extends string, Item>(key: Key, items: readonly Item[]): Partial<Record<Key, readonly Item[]>> {
  return items.length > 0 ? ({ [key]: items } as Record<Key, readonly Item[]>) : {};
}

/** The lines that comments excuse: for the type checker, the next one that is not a comment. */
function expectedErrors(comments: readonly Comment[], reading: Reading): readonly number[] {
  return comments.flatMap(({ value, end }) => {
    if (!/^[/*\s]*@ts-(?:expect-error|ignore)\b/.test(value.slice(value.lastIndexOf('\n') + 1))) return [];
    const between = /^(?:[ \t]*[*]?\/?\}?[ \t]*\r?\n(?:[ \t]*(?:\/\/[^\n]*)?\r?\n)*)?/.exec(
      reading.text.slice(end, end + LONGEST_COMMENT),
    );
    return [reading.lineOf(end + (between?.[0].length ?? 0))];
  });
}

/** Looks up each name that is used, and returns the uses of names of the file, of imports and of unknown origin. */
function lookedUp(reading: Reading): readonly Use[] {
  const uses = new UseTable();
  for (const { name, scope, line, member, call } of reading.references) {
    const found = scope.find(name);
    if (found?.imported && member !== null) found.imported.members.add(member, line, call);
    if (found === null || found.imported !== null || found.scope === reading.module) {
      uses.add(name, line, member === null ? call : null);
    }
  }
  return uses.all();
}

function isMinified(bytes: Uint8Array): boolean {
  if (bytes.length < MINIFIED.bytes) return false;
  const most = bytes.length / MINIFIED.bytesPerLine;
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0 && lines <= most; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines <= most;
}

/** How deep brackets are nested. Those in strings count, too, so that nothing has to be parsed for this. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (const byte of bytes) {
    if (byte === 0x28 || byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if ((byte === 0x29 || byte === 0x5d || byte === 0x7d) && depth > 0) depth -= 1;
  }
  return deepest;
}
