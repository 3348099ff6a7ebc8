/**
 * Type checkers that see only files: those of Python. Each runs as a check in a copy of the proposed state, and in one of
 * the base if it finds errors.
 */

import type { CodeFinding } from '../../code/finding.ts';
import { SavepointError } from '../../model/errors.ts';
import { bytesFromText, type TreePath, textFromBytes, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { TrustedCheck } from '../../store/state/trust.ts';
import type { Check, CheckResult, Finding } from '../check.ts';
import { compareResults, type Renames } from '../compare.ts';
import { type CheckRun, runCheck } from '../run.ts';
import { trustStateOf } from '../trust.ts';
import { notTrusted } from './find-typescript.ts';
import { FindingClasses, type KnownImports } from './finding-classes.ts';
import type { NewError } from './new-error.ts';
import { joined, NOTHING_FOUND, type TypeFindings, type Unsaid, type UnsaidReason } from './type-findings.ts';

export interface CheckInCopies {
  /** The checks of the proposed state. */
  readonly checks: readonly Check[];
  readonly trusted: readonly TrustedCheck[];
  /** Where the proposed state is. */
  readonly proposed: CheckRun;
  /** Where the base is. Asked only if there are errors. */
  readonly base: () => Promise<CheckRun>;
  readonly changed: readonly TreePath[];
  readonly importers: readonly TreePath[];
  readonly imports: KnownImports;
  readonly renames: Renames;
}

const TOOLS: readonly string[] = ['pyright', 'mypy'];

/** @throws SavepointError CANCELLED */
export async function checkInCopies(wanted: CheckInCopies): Promise<TypeFindings> {
  const checks = wanted.checks.filter(({ tool }) => TOOLS.includes(tool));
  if (checks.length === 0) {
    const message = 'No configuration of pyright or mypy was found, so no type checker of Python can be asked.';
    return { ...NOTHING_FOUND, unsaid: [{ reason: 'no-config', tool: null, path: WORKSPACE_ITSELF, message }] };
  }
  let all = NOTHING_FOUND;
  for (const check of checks) all = joined(all, await findingsOf(check, wanted));
  return all;
}

async function findingsOf(check: Check, wanted: CheckInCopies): Promise<TypeFindings> {
  const trust = trustStateOf(check, wanted.trusted);
  if (trust !== 'trusted') return { ...NOTHING_FOUND, unsaid: [notTrusted(check, trust === 'changed')] };
  const now = await completed(check, wanted.proposed);
  const base = now.outcome === 'failed' ? await completed(check, await wanted.base()) : null;
  const { comparison, why, new: added } = compareResults(now, base, wanted.renames);
  if (now.outcome !== 'passed' && now.outcome !== 'failed') return unanswered(check, reasonOf(now), now.why);
  const uncertain = comparison === 'unknown' ? [unsaid(check, 'no-base', why)] : [];
  if (base !== null && comparison === 'unknown') return { ...NOTHING_FOUND, unsaid: uncertain };
  return { ...NOTHING_FOUND, findings: classed(added, wanted), omitted: now.omitted, unsaid: uncertain };
}

async function completed(check: Check, run: CheckRun): Promise<CheckResult> {
  const result = await runCheck(check, run);
  if (run.signal?.aborted === true) throw new SavepointError('CANCELLED', 'The type check was cancelled.');
  return result;
}

function reasonOf({ outcome, why }: CheckResult): UnsaidReason {
  if (outcome === 'not-installed') return 'not-installed';
  if (outcome !== 'did-not-finish') return 'crashed';
  return why?.includes('of memory') === true ? 'out-of-memory' : 'timed-out';
}

function unanswered(check: Check, reason: UnsaidReason, why: string | null): TypeFindings {
  return { ...NOTHING_FOUND, unsaid: [unsaid(check, reason, why)] };
}

function unsaid({ name, tool, folder }: Check, reason: UnsaidReason, why: string | null): Unsaid {
  const message = `The check ${JSON.stringify(name)} gave no answer${why === null ? '.' : `: ${why}.`}`;
  return { reason, tool, path: folder, message };
}

/** Files that were changed come first, then those that import them. */
function classed(added: readonly Finding[], { changed, importers, imports }: CheckInCopies): readonly CodeFinding[] {
  const files = new Map<string, Finding[]>();
  for (const paths of [changed, importers]) for (const path of paths) files.set(textFromBytes(path) ?? '', []);
  for (const finding of added) {
    const path = finding.path ?? '';
    const known = files.get(path);
    if (known === undefined) files.set(path, [finding]);
    else known.push(finding);
  }
  const classes = new FindingClasses(imports);
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
