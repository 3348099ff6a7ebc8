/** What a plan breaks elsewhere in the code, for a model: the worst findings, one line each. */
import { showText } from '../../content/show-name.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { present } from './fields.ts';
import { pathText } from './text.ts';

type FindingJson = OutputOf<typeof VERBS.findings>['findings'][number];

export interface WorstFindings {
  /** The worst first. */
  readonly findings?: readonly string[];
  readonly more_findings?: number;
}

const SHOWN = 10;

export function worstFindings(findings: readonly FindingJson[], omitted: number): WorstFindings {
  return present<WorstFindings>({
    findings: findings.slice(0, SHOWN).map(findingLine),
    more_findings: Math.max(0, findings.length - SHOWN + omitted) || null,
  });
}

export function worstFindingLines({ findings = [], more_findings: more }: WorstFindings): readonly string[] {
  return [...findings.map((one) => `  ${showText(one)}`), ...(more === undefined ? [] : [`  ${more} more findings`])];
}

function findingLine({ class: of, path, line, message }: FindingJson): string {
  return `${of} ${pathText(path)}${line === null ? '' : `:${line}`}: ${message}`;
}
