/** Type checkers that see only files, which are those of Python: they run as checks in a copy of each state. */

import type { CodeFinding } from '../../code/finding.ts';
import type { Outcome } from '../../model/check-outcome.ts';
import { bytesFromText, type TreePath, textFromBytes, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Check, Finding } from '../check.ts';
import { type ComparedCheck, isAnswer } from '../compare.ts';
import { FindingClasses, type KnownImports } from './finding-classes.ts';
import type { NewError } from './new-error.ts';
import { joined, NOTHING_FOUND, type TypeFindings, type Unsaid, type UnsaidReason } from './type-findings.ts';

export interface ProposedPython {
  readonly changed: readonly TreePath[];
  readonly importers: readonly TreePath[];
  readonly imports: () => KnownImports;
}

const TOOLS: readonly string[] = ['pyright', 'mypy'];

/** Before any of them ran. @param changed all files that differ */
export function unsaidOfPython(checks: readonly Check[], changed: readonly TreePath[]): readonly Unsaid[] {
  if (!changed.some((path) => /\.pyi?$/.test(path))) return [];
  const known = checks.filter(({ tool }) => TOOLS.includes(tool));
  if (known.length > 0)
    return known.map((check) => unsaid(check, 'not-run', 'it runs only in a copy, with the checks'));
  const message = 'No configuration of pyright or mypy was found, so no type checker of Python can be asked.';
  return [{ reason: 'no-config', tool: null, path: WORKSPACE_ITSELF, message }];
}

/** What they found when they ran. @param checks all checks; the others are left out */
export function findingsOfPython(
  checks: readonly Check[],
  results: readonly ComparedCheck[],
  wanted: ProposedPython,
): TypeFindings {
  const answers = checks.flatMap((check) => {
    const result = TOOLS.includes(check.tool) ? results.find(({ name }) => name === check.name) : undefined;
    return result === undefined ? [] : [findingsOf(check, result, wanted)];
  });
  return answers.reduce((all, one) => joined(all, one), NOTHING_FOUND);
}

function findingsOf(check: Check, result: ComparedCheck, wanted: ProposedPython): TypeFindings {
  const { outcome, comparison, why } = result;
  if (!isAnswer(outcome)) return { ...NOTHING_FOUND, unsaid: [unsaid(check, reasonOf(outcome, why), why)] };
  // Then it is not certain that anything is new.
  if (comparison === 'unknown') return { ...NOTHING_FOUND, unsaid: [unsaid(check, 'no-base', why)] };
  return { ...NOTHING_FOUND, findings: classed(result.new, wanted) };
}

function reasonOf(outcome: Outcome, why: string | null): UnsaidReason {
  if (outcome === 'not-installed') return 'not-installed';
  if (outcome !== 'did-not-finish') return 'crashed';
  return why?.includes('of memory') === true ? 'out-of-memory' : 'timed-out';
}

function unsaid({ name, tool, folder }: Check, reason: UnsaidReason, why: string | null): Unsaid {
  const message = `The check ${JSON.stringify(name)} gave no answer${why === null ? '.' : `: ${why}.`}`;
  return { reason, tool, path: folder, message };
}

/** Files that were changed come first, then those that import them. */
function classed(added: readonly Finding[], { changed, importers, imports }: ProposedPython): readonly CodeFinding[] {
  if (added.length === 0) return [];
  const files = new Map<string, Finding[]>();
  for (const paths of [changed, importers]) for (const path of paths) files.set(textFromBytes(path) ?? '', []);
  for (const finding of added) {
    const path = finding.path ?? '';
    const known = files.get(path);
    if (known === undefined) files.set(path, [finding]);
    else known.push(finding);
  }
  const classes = new FindingClasses(imports());
  return [...files].flatMap(([file, findings]) => {
    const path = bytesFromText(file) as TreePath;
    return classes.add(
      path,
      findings.map((finding) => errorOf(path, finding)),
    );
  });
}

function errorOf(path: TreePath, { rule, message, shown, path: file }: Finding): NewError {
  const [, line] = /^:(\d{1,9}):/.exec(shown.slice(file?.length ?? 0)) ?? [];
  return {
    path,
    line: line === undefined ? null : Number(line),
    code: rule ?? '',
    message,
    text: '',
    names: [],
    related: [],
  };
}
