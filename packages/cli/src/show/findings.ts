/** What an analysis of code found, as text. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { showContent } from '@savepoint/core/frontend';
import { lines } from '../command.ts';
import type { OutputView } from '../view.ts';
import { countText, pathText } from './format.ts';

export type FindingsJson = OutputOf<(typeof VERBS)['findings']>;
type FindingJson = FindingsJson['findings'][number];
type UnsaidJson = FindingsJson['unsaid'][number];

const MOST_FINDINGS = 50;
const MOST_FOLLOWING = 3;
const MOST_EVIDENCE = 3;
const MOST_PLACES = 12;
const NAMED = 5;

/** The worst first. What follows from a finding is below it. */
export function findingsText(found: FindingsJson, view: OutputView): string {
  return lines(findingLines(found, view), reachLines(found), found.unsaid.map(unsaidLine));
}

export function findingLines(
  { findings, omitted }: Pick<FindingsJson, 'findings' | 'omitted'>,
  view: OutputView,
): readonly string[] {
  if (findings.length === 0) return ['No findings.'];
  const following = new Map<number, FindingJson[]>();
  for (const one of findings) {
    if (one.follows !== null) following.set(one.follows, [...(following.get(one.follows) ?? []), one]);
  }
  const causes = findings.flatMap((one, index) => (one.follows === null ? [{ one, index }] : []));
  const groups = sameCauses(causes);
  const shown = groups.slice(0, MOST_FINDINGS).flatMap((group) => {
    const consequences = new Set(group.flatMap(({ index }) => consequencesOf(index, findings, following)));
    const places = group.map(({ one }) => one);
    return [...findingsOfCause(places, view), ...followingLines([...consequences])];
  });
  const more = groups.slice(MOST_FINDINGS).reduce((sum, { length }) => sum + length, omitted);
  return [...shown, ...(more === 0 ? [] : [`${more} more`])];
}

interface Cause {
  readonly one: FindingJson;
  readonly index: number;
}

/** Findings that say the same of other places, such as of all files that use an export that is gone. */
function sameCauses(causes: readonly Cause[]): readonly (readonly Cause[])[] {
  const groups = new Map<string, Cause[]>();
  for (const cause of causes) {
    const { class: of, rule, message, evidence } = cause.one;
    // What a type checker says about the place itself differs.
    const others = evidence.filter((place) => place.path !== cause.one.path);
    const key = JSON.stringify([of, rule, message, others]);
    groups.set(key, [...(groups.get(key) ?? []), cause]);
  }
  return [...groups.values()];
}

/** Also those of consequences. */
function consequencesOf(
  index: number,
  findings: readonly FindingJson[],
  following: ReadonlyMap<number, readonly FindingJson[]>,
): readonly FindingJson[] {
  const all = new Set(following.get(index) ?? []);
  for (const one of all) for (const next of following.get(findings.indexOf(one)) ?? []) all.add(next);
  return [...all];
}

function findingsOfCause(all: readonly FindingJson[], { style }: OutputView): readonly string[] {
  const [first] = all;
  if (first === undefined) return [];
  const { class: of, rule, message, evidence } = first;
  const name = of === 'breaks' ? style.bad(of) : style.strong(of);
  const where = all.length === 1 ? placeText(first) : `in ${all.length} places`;
  const places = all.slice(0, MOST_PLACES).map(placeText);
  const more = all.length - places.length;
  return [
    `${name} ${where}: ${showContent(message)} (${rule})`,
    ...evidence
      .slice(0, MOST_EVIDENCE)
      .map((one) => `    ${one.state === 'base' ? 'before' : 'after'} ${placeText(one)}: ${showContent(one.text)}`),
    ...(all.length === 1 ? [] : places.map((place) => `    at ${place}`)),
    ...(more === 0 ? [] : [`    and ${more} more`]),
  ];
}

function followingLines(following: readonly FindingJson[]): readonly string[] {
  if (following.length === 0) return [];
  const all = [...new Set(following.map(placeText))];
  const places = all.slice(0, MOST_FOLLOWING);
  const more = all.length - places.length;
  return [`    follows: ${places.join(', ')}${more === 0 ? '' : `, ${more} more`}`];
}

function placeText({ path, line }: Pick<FindingJson, 'path' | 'line'>): string {
  return line === null ? pathText(path) : `${pathText(path)}:${line}`;
}

function reachLines({ dependents, tests }: FindingsJson): readonly string[] {
  return [
    ...(dependents.length === 0 ? [] : [`Depend on it: ${namesOf(dependents.map(({ path }) => pathText(path)))}`]),
    ...(tests.length === 0 ? [] : [`Tests that reach it: ${namesOf(tests.map(pathText))}`]),
  ];
}

function unsaidLine({ reason, language, files, paths, message }: UnsaidJson): string {
  if (message !== null) return typesUnsaid(message);
  const of = `${countText(files, 'file')} (${namesOf(paths.map(pathText), files)})`;
  switch (reason) {
    case 'no-language':
      return `Not analysed: ${of} in no language that is understood.`;
    case 'no-parser':
      return `Not analysed: ${of}, as the parser of ${language} is not installed.`;
    case 'unreadable':
      return `Not analysed: ${of} of ${language}, which are too large or cannot be read.`;
    case 'not-measured':
      return `Findings in ${language} are not proven, as their accuracy is not measured.`;
    case 'too-many':
      return `Not analysed: the workspace has too many source files (${files}).`;
    default:
      return `Not analysed: ${reason}.`;
  }
}

/** What a type checker could not say. */
export function typesUnsaid(message: string): string {
  return `Type errors: ${showText(message)}`;
}

function namesOf(names: readonly string[], count: number = names.length): string {
  const shown = names.slice(0, NAMED);
  return `${shown.join(', ')}${count > shown.length ? `, ${count - shown.length} more` : ''}`;
}
