/** What an analysis of the code says about a plan, in a form that is kept. */

import type { CodeFinding } from '../../code/finding.ts';
import type { PlanAct, PlanAnalysis, PlanFinding } from '../../model/plan.ts';
import type { CodeReport } from '../code/analysis.ts';

const MOST_FINDINGS = 500;
const MOST_EVIDENCE = 3;
const MOST_DEPENDENCIES = 2_000;
const MOST_TEXT = 500;

/** @param of exactly what was analysed, and the number of the checkpoint with the folder that it was applied to */
export function analysisOf(
  { findings, omitted, dependencies, unsaid }: CodeReport,
  of: PlanAct & Pick<PlanAnalysis, 'fingerprint' | 'base'>,
): PlanAnalysis {
  return {
    ...of,
    findings: findings.slice(0, MOST_FINDINGS).map(keptFinding),
    omitted: omitted + Math.max(0, findings.length - MOST_FINDINGS),
    breaks: findings.filter((one) => one.class === 'breaks').length,
    dependencies: dependencies.slice(0, MOST_DEPENDENCIES),
    unsaid: unsaid.map(({ reason, language, files, message }) => ({
      reason,
      language,
      files,
      message: message?.slice(0, MOST_TEXT) ?? null,
    })),
  };
}

function keptFinding({ class: of, rule, path, line, message, follows, evidence }: CodeFinding): PlanFinding {
  return {
    class: of,
    rule,
    path,
    line,
    message: message.slice(0, MOST_TEXT),
    // The cause may be among those that are left out.
    follows: follows !== null && follows < MOST_FINDINGS ? follows : null,
    evidence: evidence.slice(0, MOST_EVIDENCE).map((one) => ({
      path: one.path,
      line: one.line,
      state: one.state,
      text: one.text.slice(0, MOST_TEXT),
    })),
  };
}
