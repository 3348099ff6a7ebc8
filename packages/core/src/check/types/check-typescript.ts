/** What TypeScript says about a proposed state: finds the project's own versions of it, and asks each. */

import type { CodeFinding } from '../../code/finding.ts';
import type { Ports } from '../../io/ports.ts';
import { WORKSPACE_ITSELF } from '../../model/names.ts';
import type { TrustedCheck } from '../../store/state/trust.ts';
import type { Check } from '../check.ts';
import { filesOfFolder, type ProjectFiles } from '../find/project-files.ts';
import { askTypeScript, type ProposedTypes } from './ask-typescript.ts';
import { findTypeScript } from './find-typescript.ts';
import { joined, later, NOTHING_FOUND, type TypeFindings, type Unsaid } from './type-findings.ts';

export interface TypeScriptCheck extends ProposedTypes {
  readonly ports: Pick<Ports, 'fs' | 'programs' | 'typeChecker'>;
  /** The checks of the proposed state. */
  readonly checks: readonly Check[];
  readonly trusted: readonly TrustedCheck[];
  /** The files of the proposed state that say which projects there are. */
  readonly files: ProjectFiles;
}

/**
 * Nothing is written into the workspace. The checker runs only if a person trusts the check that runs it, because it is
 * code of the project.
 * @throws SavepointError CANCELLED
 */
export async function checkTypeScript(wanted: TypeScriptCheck): Promise<TypeFindings> {
  const { checks, trusted, files, ports, place } = wanted;
  const disk = filesOfFolder(ports.fs, place.files);
  const { found, unsaid } = findTypeScript({ checks, trusted, proposed: files, disk });
  const answers: TypeFindings[] = [{ ...NOTHING_FOUND, unsaid: [...unsaid, ...nothing(checks)] }];
  let count = 0;
  for (const typescript of found) {
    const before = count;
    const onFindings = (added: readonly CodeFinding[]): void => {
      count += added.length;
      wanted.onFindings?.(added.map((finding) => later(finding, before)));
    };
    answers.push(await askTypeScript(typescript, { ...wanted, onFindings }));
  }
  return answers.reduce((all, one) => joined(all, one));
}

function nothing(checks: readonly Check[]): readonly Unsaid[] {
  if (checks.some(({ tool }) => tool === 'tsc')) return [];
  const message = 'No tsconfig.json was found, so TypeScript cannot be asked.';
  return [{ reason: 'no-config', tool: 'typescript', path: WORKSPACE_ITSELF, message }];
}
