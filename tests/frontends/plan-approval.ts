import type { Project } from '@savepoint/testkit/command';

/** A person approves the plan as `plan show` prints it. */
export function approvePlan(p: Project, id: string): void {
  p.ok('plan', 'review', id, '--approve', fingerprintOf(p, id));
}

export function fingerprintOf(p: Project, id: string): string {
  return JSON.parse(p.ok('plan', 'show', id, '--json').stdout).fingerprint;
}
