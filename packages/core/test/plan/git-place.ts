import { execFileSync } from 'node:child_process';
import type { OpenOptions, Savepoint } from '@savepoint/core';
import { Place } from '../place.ts';
import { write } from './write.ts';

/** Workspaces that are repositories, in which plans are applied. */

export const GIT = 'git -c user.name=T -c user.email=t@example.invalid -c init.defaultBranch=main';
export const AUTHOR = { name: 'Ann', email: 'ann@example.invalid' };

export class GitPlace extends Place {
  override open(options: Partial<OpenOptions> = {}): Savepoint {
    return super.open({ places: { ...this.world.places, searchPath: process.env['PATH'] ?? '' }, ...options });
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.at(''), encoding: 'utf8' });
  }
}

export function repository(subjects: readonly string[] = ['first']): GitPlace {
  const p = new GitPlace();
  for (const name of ['src/a.txt', 'src/b.txt', 'mine.txt', 'gone.txt']) p.write(name, `${name}\n`);
  p.shell(`${GIT} init -q && ${GIT} add . && ${GIT} commit -qm "${subjects[0]}"`);
  for (const subject of subjects.slice(1)) p.shell(`${GIT} commit -q --allow-empty -m "${subject}"`);
  // Everything that git could run here leaves a trace.
  p.shell(
    'for hook in pre-commit commit-msg post-commit reference-transaction post-index-change; do' +
      ' printf "#!/bin/sh\\necho $0 >> ../../ran\\n" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done;' +
      ' git config core.fsmonitor "touch ../ran"; git config commit.gpgsign true; git config gpg.program "touch ../ran"',
  );
  return p;
}

export async function appliedPlan(p: GitPlace, intent = 'Spell the names.', path = 'src/a.txt'): Promise<string> {
  const savepoint = p.open();
  const { plan, fingerprint } = await savepoint.proposeEdits(
    [write(path, 'changed\n'), { path: 'gone.txt', edits: [{ op: 'delete' }] }, write('src/new.sh', 'new\n')],
    { intent },
  );
  await savepoint.approvePlan(plan.id, fingerprint);
  await savepoint.applyPlan(plan.id);
  return plan.id;
}
