import {
  type Analysis,
  analyse,
  type CodeFinding,
  type CodeTree,
  codeTree,
  LANGUAGES,
  LanguageTable,
  LocalFactReader,
} from '../../src/code/index.ts';
import { readGrammar } from '../../src/io/node/facts/grammars.ts';
import type { TreePath } from '../../src/model/names.ts';

export type Files = Readonly<Record<string, string>>;

export const languages = new LanguageTable(LANGUAGES);
export const reader = new LocalFactReader(languages, readGrammar);

/** A tree of files. Their contents identify themselves. */
export function treeOf(files: Files): CodeTree {
  const all = new Map(Object.entries(files).map(([path, text]) => [path as TreePath, text]));
  return codeTree(all, (path) => new TextEncoder().encode(all.get(path)));
}

/** @param changes new contents; null: the file is removed */
export function changed(files: Files, changes: Readonly<Record<string, string | null>>): Files {
  const all: Record<string, string> = { ...files };
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) delete all[path];
    else all[path] = text;
  }
  return all;
}

export function analysisOf(files: Files, changes: Readonly<Record<string, string | null>>): Promise<Analysis> {
  return analyse({ base: treeOf(files), proposed: treeOf(changed(files, changes)), languages, reader });
}

/** The findings of a change, in one line each. */
export async function findingsOf(
  files: Files,
  changes: Readonly<Record<string, string | null>>,
): Promise<readonly string[]> {
  return (await analysisOf(files, changes)).findings.map(asLine);
}

function asLine(finding: CodeFinding): string {
  const follows = finding.follows === null ? '' : ` (follows ${finding.follows})`;
  return `${finding.class} ${finding.rule} ${finding.path}:${finding.line}${follows}: ${finding.message}`;
}
