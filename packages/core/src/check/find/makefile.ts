/** The targets of a Makefile that are checks, where no tool was found that does the same. */

import type { Check, Definition } from '../check.ts';
import { checkName } from './check-name.ts';
import type { ProjectFolder } from './project-folder.ts';
import { NAMED_CHECKS } from './tools.ts';

/** In the order in which make looks for them. */
const FILES = ['GNUmakefile', 'makefile', 'Makefile'];
const TARGETS: ReadonlySet<string> = new Set(['check', 'test', 'tests', 'lint', 'build']);
const MAX_INCLUDED = 50;
const MAX_LINE = 1_000;

/** @param known the other checks; a target of the same kind is left out, because it usually runs them */
export function makeChecks(folder: ProjectFolder, known: readonly Check[]): readonly Check[] {
  const file = FILES.find((name) => folder.has(name));
  const text = file === undefined ? null : folder.text(file);
  if (file === undefined || text === null) return [];
  const recipes = recipesOf(text);
  const kinds = new Set(known.map(({ kind }) => kind));
  const definedBy = [{ file: folder.at(file), part: null, text }, ...included(folder, text, new Set([file]))];
  return NAMED_CHECKS.flatMap(([target, named]): readonly Check[] => {
    const recipe = recipes.get(target);
    if (recipe === undefined || !TARGETS.has(target)) return [];
    // By GNU's convention, `check` runs the tests.
    const kind = target === 'check' ? 'tests' : named;
    if (kinds.has(kind)) return [];
    return [
      {
        name: checkName(`make:${target}`, folder.path),
        tool: `make:${target}`,
        kind,
        folder: folder.path,
        program: { name: 'make', beside: [], inPath: true },
        args: ['-f', file, target],
        env: {},
        format: 'lines',
        definedBy,
        runs: recipe,
        onRequest: kind === 'build',
        reads: null,
        timeoutMs: null,
      },
    ];
  });
}

/** By target. Only rules that name the target literally. */
function recipesOf(text: string): ReadonlyMap<string, string> {
  const recipes = new Map<string, string>();
  let targets: readonly string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('\t')) {
      for (const target of targets) recipes.set(target, `${recipes.get(target) ?? ''}${line.slice(1)}\n`);
      continue;
    }
    const rule = line.length > MAX_LINE ? null : /^([\w./ -]+?)\s*::?(?!=)/.exec(line);
    if (rule === null && line.trim() !== '') targets = [];
    if (rule === null) continue;
    targets = rule[1]!.split(/\s+/);
    for (const target of targets) if (!recipes.has(target)) recipes.set(target, '');
  }
  return recipes;
}

function included(folder: ProjectFolder, text: string, seen: Set<string>): readonly Definition[] {
  const names = [...text.matchAll(/^ *[-s]?include[ \t]+([^\n]*)/gm)].flatMap((found) => found[1]!.split(/\s+/));
  return names.flatMap((name): readonly Definition[] => {
    if (!/^[\w./-]+$/.test(name) || /(?:^|\/)\.{0,2}(?:\/|$)/.test(name) || seen.has(name)) return [];
    if (seen.size >= MAX_INCLUDED) return [];
    seen.add(name);
    return folder
      .definition(name)
      .flatMap((one) => [one, ...(one.text === null ? [] : included(folder, one.text, seen))]);
  });
}
