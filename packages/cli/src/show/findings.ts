/** What an analysis of code found, as text. */

import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { showContent } from '@savepoint/core/frontend';
import { type FindingCause, findingCauses, unsaidText } from '@savepoint/core/text';
import { lines } from '../command.ts';
import type { OutputView } from '../view.ts';
import { pathText } from './format.ts';

export type FindingsJson = OutputOf<(typeof VERBS)['findings']>;
type FindingJson = FindingsJson['findings'][number];

const MOST_FINDINGS = 50;
const MOST_FOLLOWING = 3;
const MOST_EVIDENCE = 3;
const MOST_PLACES = 12;
const NAMED = 5;

/** The worst first. What follows from a finding is below it. */
export function findingsText(found: FindingsJson, view: OutputView): string {
  const unsaid = found.unsaid.map((one) => unsaidText(one, one.paths.map(pathText)));
  return lines(findingLines(found, view), reachLines(found), unsaid);
}

export function findingLines(
  { findings, omitted }: Pick<FindingsJson, 'findings' | 'omitted'>,
  view: OutputView,
): readonly string[] {
  if (findings.length === 0) return ['No findings.'];
  const causes = findingCauses(findings);
  const shown = causes
    .slice(0, MOST_FINDINGS)
    .flatMap(({ places, following }) => [...findingsOfCause(places, view), ...followingLines(following)]);
  const more = causes.slice(MOST_FINDINGS).reduce((sum, { places }) => sum + places.length, omitted);
  return [...shown, ...(more === 0 ? [] : [`${more} more`])];
}

function findingsOfCause(all: FindingCause<FindingJson>['places'], { style }: OutputView): readonly string[] {
  const [first] = all;
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

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED);
  return `${shown.join(', ')}${names.length > shown.length ? `, ${names.length - shown.length} more` : ''}`;
}
