/** What an analysis of code could not say, as data. */

import { TYPE_UNSAID_REASONS, type Unsaid } from '../../check/types/type-findings.ts';
import type { CodeGraph } from '../../code/graph/graph.ts';
import type { CodeTree } from '../../code/language.ts';
import { isUnread } from '../../code/languages/unread-facts.ts';
import type { LanguageTable } from '../../code/reader.ts';
import type { TreePath } from '../../model/names.ts';

/**
 * - `no-language`: changed files in no language that is understood
 * - `no-parser`: the parser of the language is not installed
 * - `unreadable`: files that are too large, damaged, or stop the parser
 * - `not-measured`: how exact the findings for the language are is not known, so none of them counts as proven
 * - `too-many`: the workspace has more source files than are read, so nothing was analysed
 */
export const CODE_UNSAID_REASONS = ['no-language', 'no-parser', 'unreadable', 'not-measured', 'too-many'] as const;

/** The others are those of type checkers. */
export const ALL_UNSAID_REASONS = [...CODE_UNSAID_REASONS, ...TYPE_UNSAID_REASONS] as const;

export type CodeUnsaidReason = (typeof ALL_UNSAID_REASONS)[number];

/** Something that the analysis cannot say, or not completely. */
export interface CodeUnsaid {
  readonly reason: CodeUnsaidReason;
  /** Its id, such as `python`, or the name of a type checker; null: it is not about one of them. */
  readonly language: string | null;
  /** The number of files that it is about. */
  readonly files: number;
  /** The first of them. */
  readonly paths: readonly TreePath[];
  /** Of a type checker: one sentence, which may quote it. Null: the reason says it. */
  readonly message: string | null;
}

const NAMED_PATHS = 20;

/** Something that a type checker could not say. */
export function unsaidOfTypes({ reason, tool, path, message }: Unsaid): CodeUnsaid {
  return { reason, language: tool, files: path === '' ? 0 : 1, paths: path === '' ? [] : [path], message };
}

/** @param changed the files that differ */
export function unsaidOf(
  graph: CodeGraph,
  changed: readonly TreePath[],
  languages: LanguageTable,
): readonly CodeUnsaid[] {
  const unsaid = [...unreadOf(graph, languages, changed), ...unknownOf(changed, languages)];
  for (const { id, isMeasured } of languages.all) {
    const paths = isMeasured ? [] : changed.filter((path) => graph.nodes.has(path) && languages.of(path)?.id === id);
    if (paths.length > 0) unsaid.push(entryOf('not-measured', id, paths));
  }
  return unsaid;
}

/**
 * The files of a state whose language is known, and that could not be read.
 * @param parsed of these, those that the parser did not understand count as well
 */
export function unreadOf(
  { tree, nodes }: CodeGraph,
  languages: LanguageTable,
  parsed: readonly TreePath[] = [],
): readonly CodeUnsaid[] {
  const without = new Map<string, TreePath[]>();
  const understood = new Set<string>();
  for (const path of tree.files.keys()) {
    const language = languages.of(path);
    if (language === null) continue;
    if (nodes.has(path)) understood.add(language.id);
    else {
      const paths = without.get(language.id);
      if (paths === undefined) without.set(language.id, [path]);
      else paths.push(path);
    }
  }
  for (const path of parsed) {
    const facts = nodes.get(path)?.facts;
    if (facts === undefined || !isUnread(facts)) continue;
    without.set(facts.language, [...(without.get(facts.language) ?? []), path]);
  }
  return [...without].map(([language, paths]) =>
    entryOf(understood.has(language) ? 'unreadable' : 'no-parser', language, paths),
  );
}

/** The files in no language that is understood: one entry, or none. */
export function unknownOf(paths: Iterable<TreePath>, languages: LanguageTable): readonly CodeUnsaid[] {
  const unknown = [...paths].filter((path) => languages.of(path) === null);
  return unknown.length > 0 ? [entryOf('no-language', null, unknown)] : [];
}

/** @returns null: the analysis can be made */
export function tooMany({ files }: CodeTree, languages: LanguageTable, most: number): CodeUnsaid | null {
  if (files.size <= most) return null;
  const paths = [...files.keys()].filter((path) => languages.of(path) !== null);
  return paths.length > most ? entryOf('too-many', null, paths) : null;
}

function entryOf(reason: CodeUnsaidReason, language: string | null, paths: readonly TreePath[]): CodeUnsaid {
  return { reason, language, files: paths.length, paths: paths.slice(0, NAMED_PATHS), message: null };
}
