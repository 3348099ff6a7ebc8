import type { Definition, FileFacts, Import, Use } from '../../../src/code/facts.ts';
import type { CodeTree, FactExtractor, Language } from '../../../src/code/language.ts';
import { readGrammar } from '../../../src/io/node/facts/grammars.ts';
import type { TreePath } from '../../../src/model/names.ts';

/** Loads the parser of a language, with the grammars of the package. */
export async function extractorOf(language: Language): Promise<FactExtractor> {
  const extractor = await language.load(readGrammar);
  if (extractor === null) throw new Error(`no grammar of ${language.id}`);
  return extractor;
}

/** Files with their contents, as a tree. */
export function treeOf(files: Readonly<Record<string, string>>): CodeTree {
  const folders = new Set<string>(['']);
  for (const path of Object.keys(files)) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.add(path.slice(0, at));
  }
  return {
    files: new Map(Object.keys(files).map((path) => [path as TreePath, path])),
    hasFolder: (path) => folders.has(path),
    read: (path) => (files[path] === undefined ? null : new TextEncoder().encode(files[path])),
  };
}

/** Where an import leads, in one line. */
export function resolved(language: Language, files: Readonly<Record<string, string>>, importer: string, from: string) {
  const found = language.resolverOf(treeOf(files)).resolve(importer as TreePath, from);
  return found.to === 'files' ? found.paths.join(' ') : found.to;
}

/** All facts, a line each, so that a test can say all of them. */
export function summary(facts: FileFacts): Record<string, readonly string[]> {
  return {
    imports: facts.imports.map(importLine),
    exports: facts.exports.map(({ name, line }) => `${line} ${name}`),
    definitions: facts.definitions.map(definitionLine),
    uses: facts.uses.map(useLine),
    memberUses: facts.memberUses.map(useLine),
    problems: facts.problems.map(({ line, message }) => `${line} ${message}`),
  };
}

function importLine({ kind, from, names, line, isGuarded }: Import): string {
  const parts = names.map(({ name, local, exportedAs, members }) => {
    const as = local === name ? '' : ` as ${local ?? '-'}`;
    const passedOn = exportedAs === null ? '' : ` > ${exportedAs}`;
    const used = members.length === 0 ? '' : ` {${members.map(useLine).join(', ')}}`;
    return `${name}${as}${passedOn}${used}`;
  });
  return [`${line} ${kind}${isGuarded ? ' guarded' : ''} ${from}`, ...parts].join(' | ');
}

function definitionLine({ name, kind, container, line, endLine, signature, arity }: Definition): string {
  const called = arity === null ? '' : ` (${arity.least}-${arity.most ?? 'any'})`;
  return `${line}-${endLine} ${kind} ${container === null ? '' : `${container}.`}${name}${called}: ${signature}`;
}

function useLine({ name, lines, count }: Use): string {
  return `${name} ${lines.join(' ')}${count === lines.length ? '' : ` (${count})`}`;
}
