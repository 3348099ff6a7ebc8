/** Shows the results of checks as text. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { shellWord } from '@savepoint/core/frontend';
import { lines } from '../command.ts';
import type { OutputView } from '../view.ts';
import { countText } from './format.ts';

export type CheckResultJson = OutputOf<typeof VERBS.check>['checks'][number];

/** What checks found. @param about what was checked, and compared with what @param more lines before the verdict */
export function checksText(
  {
    checks,
    notRun,
    notes,
    untrusted = [],
  }: Pick<OutputOf<typeof VERBS.check>, 'checks' | 'notRun' | 'notes'> & {
    readonly untrusted?: readonly string[];
  },
  about: string,
  view: OutputView,
  more: readonly string[] = [],
): string {
  const noted = notes.map((note) => showText(note));
  if (untrusted.length > 0) return lines(noted);
  if (checks.length === 0) return lines(noted, 'No checks were found, so nothing was checked.');
  return lines(
    about,
    checks.flatMap((one) => checkResultText(one, view)),
    notRun.length === 0 ? [] : `Not run: ${notRun.map((name) => showText(name)).join(', ')}.`,
    noted,
    more,
    verdictText(checks),
  );
}

/** What one check found. */
export function checkResultText(result: CheckResultJson, { style }: OutputView): readonly string[] {
  const { name, outcome, comparison, why, fixed, remaining, took, output } = result;
  const counts = [
    ...(result.new.length === 0 ? [] : [`${result.new.length} ${comparison === 'worse' ? 'new' : 'failed'}`]),
    ...(remaining === 0 ? [] : [`${remaining} as before`]),
    ...(fixed === 0 ? [] : [`${fixed} fixed`]),
    ...(result.flaky.length === 0 ? [] : [`${result.flaky.length} flaky`]),
  ];
  const said = [outcome.replaceAll('-', ' '), ...counts].join(', ');
  const line = `  ${showText(name)}: ${said} (${(took / 1000).toFixed(1)} s)${why === null ? '' : `: ${showText(why)}`}`;
  const isAnswered = outcome === 'passed' || outcome === 'failed';
  return [
    comparison === 'ok' || comparison === 'same' ? line : style.bad(line),
    ...shownFindings(result.new, comparison === 'worse' ? 'new' : 'failed'),
    ...shownFindings(result.flaky, 'flaky'),
    ...(isAnswered ? [] : lastLines(output).map((text) => `      ${showText(text)}`)),
  ];
}

export function verdictText(checks: readonly CheckResultJson[]): string {
  const worse = checks.filter(({ comparison }) => comparison === 'worse').length;
  const unknown = checks.filter(({ comparison }) => comparison === 'unknown').length;
  if (worse > 0) return `New failures in ${countText(worse, 'check')}.`;
  if (unknown > 0) {
    const text = `It is unknown whether ${countText(unknown, 'check')} ${unknown === 1 ? 'has' : 'have'} new failures.`;
    return `${text}${notInstalledHint(checks)}`;
  }
  return 'No new failures.';
}

/** What to do about checks whose tools are missing, as in a fresh clone. */
function notInstalledHint(checks: readonly CheckResultJson[]): string {
  const missing = checks.filter(({ outcome }) => outcome === 'not-installed');
  if (missing.length === 0) return '';
  const installed = checks.filter(({ outcome }) => outcome !== 'not-installed');
  const only = installed.map(({ name }) => `--only ${showText(shellWord(name))}`).join(' ');
  const others = only === '' ? '' : `, or run only the others with \`${only}\``;
  return ` Not installed: ${missing.map(({ name }) => showText(name)).join(', ')}. Install what they need${others}.`;
}

/** The rest can be read with `--json`. */
const MAX_FINDINGS = 20;

const OUTPUT_LINES = 10;

function shownFindings(findings: CheckResultJson['new'], label: string): readonly string[] {
  const more = findings.length - MAX_FINDINGS;
  return [
    ...findings.slice(0, MAX_FINDINGS).map(({ shown }) => `    ${label}  ${showText(shown)}`),
    ...(more > 0 ? [`    … ${more} more`] : []),
  ];
}

function lastLines(output: string): readonly string[] {
  const all = output.trimEnd().split(/\r?\n/);
  return all.length === 1 && all[0] === '' ? [] : all.slice(-OUTPUT_LINES);
}
