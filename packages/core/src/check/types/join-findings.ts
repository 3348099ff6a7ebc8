/** Joins what the type checkers say with what the code itself says. */

import type { CodeFinding, Evidence } from '../../code/finding.ts';
import { worstFirst } from '../../code/findings/draft.ts';
import type { TreePath } from '../../model/names.ts';

/**
 * A type error at the place of another finding is the same problem in other words: it becomes evidence of that one, and
 * proves it. All errors of a file with a syntax error follow from that.
 * @param types their `follows` counts from the first of them
 * @returns the worst first
 */
export function joinFindings(code: readonly CodeFinding[], types: readonly CodeFinding[]): readonly CodeFinding[] {
  const places = placesOf(code);
  const joined: Joined[] = code.map((finding) => ({ finding, cause: null }));
  for (const [nth, { follows }] of code.entries())
    setCause(joined[nth], follows === null ? undefined : joined[follows]);
  const ofTypes = types.map((error): Joined => {
    const same = joined[places.sameAs(error) ?? -1];
    if (same === undefined) return { finding: error, cause: null };
    same.finding = proven(same.finding, error);
    return same;
  });
  for (const [nth, error] of types.entries()) {
    const own = ofTypes[nth];
    if (own?.finding !== error) continue;
    const cause = error.follows === null ? joined[places.syntaxErrorIn(error.path) ?? -1] : ofTypes[error.follows];
    setCause(own, cause);
    if (cause !== undefined && error.class === 'breaks') own.finding = { ...error, class: 'follows' };
  }
  const all = [...new Set([...joined, ...ofTypes])].sort((one, other) => worstFirst(one.finding, other.finding));
  const indexes = new Map(all.map((one, index) => [one, index]));
  return all.map(({ finding, cause }) => ({
    ...finding,
    follows: cause === null ? null : (indexes.get(cause) ?? null),
  }));
}

/** A finding that may still get evidence, and what it follows from. */
interface Joined {
  finding: CodeFinding;
  cause: Joined | null;
}

interface Places {
  /** The index of the finding that says the same. */
  sameAs(error: CodeFinding): number | undefined;
  syntaxErrorIn(path: TreePath): number | undefined;
}

/** Rules about what a line says. The others are about a file, or about others that use it. */
const ABOUT_LINES: ReadonlySet<string> = new Set([
  'syntax-error',
  'unresolved-import',
  'unresolved-name',
  'removed-export',
  'changed-export',
  'removed-method',
]);

function placesOf(code: readonly CodeFinding[]): Places {
  const places = new Map<string, number[]>();
  const broken = new Map<TreePath, number>();
  for (const [index, { rule, path, line }] of code.entries()) {
    if (rule === 'syntax-error' && !broken.has(path)) broken.set(path, index);
    if (line === null || !ABOUT_LINES.has(rule)) continue;
    const key = `${path}\0${line}`;
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  return {
    sameAs({ path, line, message }) {
      const here = places.get(`${path}\0${line}`) ?? [];
      const names = quotedNames(message);
      const named = here.find((index) => quotedNames(code[index]?.message ?? '').some((name) => names.includes(name)));
      return named ?? here[0];
    },
    syntaxErrorIn: (path) => broken.get(path),
  };
}

function quotedNames(message: string): readonly string[] {
  return [...message.matchAll(/['"]([\w$]+)['"]/g)].flatMap(([, name]) => name ?? []);
}

function proven(finding: CodeFinding, error: CodeFinding): CodeFinding {
  const said: Evidence = {
    path: error.path,
    line: error.line,
    state: 'proposed',
    text: `type checker: ${error.message}`,
  };
  const isProven = finding.class === 'may-be-affected' && error.class === 'breaks';
  return { ...finding, class: isProven ? 'breaks' : finding.class, evidence: [...finding.evidence, said] };
}

function setCause(one: Joined | undefined, cause: Joined | undefined): void {
  if (one !== undefined && cause !== undefined && cause !== one) one.cause = cause;
}
