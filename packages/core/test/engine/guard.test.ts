/** The guard: checks before and after an agent's work, and what becomes of it. */

import type { OpenOptions, Savepoint, Session } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

const VARIABLES = { PATH: process.env['PATH'] ?? '' };

/** A project with one check: each line that begins with `bad` in a file is a failure. */
class Project extends Place {
  #turn = 0;

  constructor() {
    super();
    this.write('check.sh', 'if grep -h ^bad *.txt; then exit 1; fi\n');
    this.write('a.txt', 'one\n\ntwo\n\nthree\n\n');
    this.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'check.sh'], kind: 'lint' } } }));
  }

  override open(options: Partial<OpenOptions> = {}): Savepoint {
    const { places } = this.world;
    return super.open({ places: { ...places, variables: () => VARIABLES }, settings: { savepoint: null }, ...options });
  }

  async trusted(): Promise<this> {
    const { digest } = await this.open().listChecks();
    await this.open().trustChecks(digest);
    return this;
  }

  session(): Session {
    return this.open().session({ agent: 'claude', id: 'main' });
  }

  /** One turn, with one call that does the work. @param meanwhile what a person does after the call */
  async turn(work: () => void, meanwhile: () => void = () => undefined, text = 'do it') {
    this.#turn += 1;
    const session = this.session();
    await session.prompt(text, `m${this.#turn}`);
    return this.goOn(work, meanwhile);
  }

  async goOn(work: () => void, meanwhile: () => void = () => undefined) {
    const session = this.session();
    await session.call({ tool: 'Bash', kind: 'shell' }, work);
    meanwhile();
    await session.endTurn(null);
    const step = await session.guardStep('claude', { sandboxed: false });
    return step?.verdict ?? null;
  }
}

async function guarded(options: Partial<Parameters<Savepoint['guardOn']>[0]> = {}): Promise<Project> {
  const project = await new Project().trusted();
  await project.open().checkpoint();
  await project.open().guardOn({ checks: ['own'], ...options });
  return project;
}

const outcomes = async (project: Project): Promise<readonly string[]> =>
  (await project.open().guardStatus()).events.map(({ outcome }) => outcome);

describe('the guard of turns', () => {
  test('marks good states, takes back what is worse, and keeps what others did in the same file', async () => {
    const project = await guarded();
    expect(await project.turn(() => project.write('b.txt', 'fine\n'))).toMatchObject({ outcome: 'good' });
    const bad = await project.turn(
      () => {
        project.write('a.txt', `bad\n${project.read('a.txt')}`);
        project.write('b.txt', 'fine\nmore\n');
      },
      () => project.write('a.txt', `${project.read('a.txt')}mine\n`),
    );
    expect(bad).toMatchObject({ outcome: 'taken-back', failures: [{ check: 'own', shown: 'bad' }] });
    expect(bad?.operation?.description).toMatch(/^Guard: 1 new failure of own\. Rolled back 2 changes of claude/);
    expect(project.read('a.txt')).toBe('one\n\ntwo\n\nthree\n\nmine\n');
    expect(project.read('b.txt')).toBe('fine\n');
    expect(await project.goOn(() => project.write('b.txt', 'fine\nbetter\n'))).toMatchObject({ outcome: 'good' });
    expect(await outcomes(project)).toEqual(['good', 'taken-back', 'repaired']);
    expect(await project.open().stats()).toMatchObject({ guard: { turns: 3, takenBack: 1, repaired: 1, left: 0 } });
  });

  test('takes back only so often in a row, then leaves the work and compares later turns with it', async () => {
    const project = await guarded({ attempts: 2 });
    const worse = (): void => project.write('a.txt', 'bad\n');
    expect(await project.turn(worse)).toMatchObject({ outcome: 'taken-back' });
    expect(await project.goOn(worse)).toMatchObject({ outcome: 'taken-back' });
    expect(await project.goOn(worse)).toMatchObject({ outcome: 'left', why: 'it was taken back too often' });
    expect(project.read('a.txt')).toBe('bad\n');
    expect(await project.turn(() => project.write('b.txt', 'fine\n'))).toMatchObject({ outcome: 'good' });
    expect(project.read('b.txt')).toBe('fine\n');
  });

  test('a prompt of the user begins a new count, and what the guard itself said does not', async () => {
    const project = await guarded({ attempts: 1 });
    const worse = (): void => project.write('a.txt', 'bad\n');
    expect(await project.turn(worse)).toMatchObject({ outcome: 'taken-back' });
    expect(await project.turn(worse)).toMatchObject({ outcome: 'taken-back' });
    const said = 'Stop hook feedback: Savepoint guard: checks became worse';
    expect(await project.turn(worse, undefined, said)).toMatchObject({ outcome: 'left' });
  });

  test('puts the work back if the failures are there without it: they are those of a person', async () => {
    const project = await guarded();
    const verdict = await project.turn(
      () => project.write('b.txt', 'fine\n'),
      () => project.write('a.txt', 'bad\n'),
    );
    expect(verdict).toMatchObject({ outcome: 'left', why: expect.stringContaining('without its changes') });
    expect(project.read('b.txt')).toBe('fine\n');
    expect(project.read('a.txt')).toBe('bad\n');
  });

  test('failures that were there before do not count', async () => {
    const project = await new Project().trusted();
    project.write('c.txt', 'bad\n');
    await project.open().checkpoint();
    await project.open().guardOn({ checks: ['own'] });
    expect(await project.turn(() => project.write('b.txt', 'fine\n'))).toMatchObject({ outcome: 'good' });
    expect(await project.turn(() => project.write('b.txt', 'bad\n'))).toMatchObject({ outcome: 'taken-back' });
  });

  test('does nothing for a turn without changes, and after it was turned off', async () => {
    const project = await guarded();
    expect(await project.turn(() => undefined)).toMatchObject({ outcome: 'unchanged' });
    expect(await project.open().guardOff()).toBe(true);
    expect(await project.turn(() => project.write('a.txt', 'bad\n'))).toBeNull();
    expect(project.read('a.txt')).toBe('bad\n');
    expect(await project.session().guardIsDue('turn')).toBe(false);
  });

  test('is due after so many calls, and counts each once', async () => {
    const project = await guarded({ every: 2 });
    const session = project.session();
    expect(await session.guardIsDue('call')).toBe(false);
    expect(await session.guardIsDue('known')).toBe(false);
    expect(await session.guardIsDue('call')).toBe(true);
    expect(await session.guardIsDue('known')).toBe(true);
    await session.guardStep('claude', { sandboxed: false });
    expect(await session.guardIsDue('known')).toBe(false);
  });

  test('runs nothing if what the checks run is not trusted any more, or the agent has a sandbox', async () => {
    const project = await guarded();
    const session = project.session();
    await session.prompt('do it', 'm');
    await session.call({ tool: 'Bash', kind: 'shell' }, () => project.write('a.txt', 'bad\n'));
    const sandboxed = await session.guardStep('claude', { sandboxed: true });
    expect(sandboxed?.verdict).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('sandbox') });
    await project.open().revokeTrust();
    const step = await session.guardStep('claude', { sandboxed: false });
    expect(step?.verdict).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('not trusted') });
    expect(project.read('a.txt')).toBe('bad\n');
  });

  const changed = JSON.stringify({ checks: { own: { command: ['true'], kind: 'lint' } } });
  test.each([
    [
      'changes what the check runs',
      (project: Project) => project.write('.savepoint.json', changed),
      /changed, and is not trusted/,
    ],
    ['removes the check', (project: Project) => project.shell('rm .savepoint.json'), /no longer exists/],
  ])('takes a turn back that %s', async (_, damage, why) => {
    const project = await guarded();
    const before = project.read('.savepoint.json');
    const verdict = await project.turn(() => {
      project.write('a.txt', 'bad\n');
      damage(project);
    });
    expect(verdict).toMatchObject({
      outcome: 'taken-back',
      failures: [{ check: 'own', shown: expect.stringMatching(why) }],
    });
    expect(project.read('.savepoint.json')).toBe(before);
    expect(project.read('a.txt')).not.toContain('bad');
  });

  test('puts a turn back if it was a person who changed the check', async () => {
    const project = await guarded();
    const verdict = await project.turn(
      () => project.write('b.txt', 'fine\n'),
      () => project.write('.savepoint.json', changed),
    );
    expect(verdict).toMatchObject({ outcome: 'left', why: expect.stringContaining('without its changes') });
    expect(project.read('b.txt')).toBe('fine\n');
    expect(project.read('.savepoint.json')).toBe(changed);
  });

  test('a new check of the same kind is not guarded, so it does not hide what became worse', async () => {
    const project = await guarded({ checks: ['lint'] });
    const { checks } = JSON.parse(project.read('.savepoint.json'));
    const more = JSON.stringify({ checks: { ...checks, other: { command: ['true'], kind: 'lint' } } });
    expect(await project.turn(() => project.write('.savepoint.json', more))).toMatchObject({ outcome: 'good' });
    const verdict = await project.turn(() => project.write('a.txt', 'bad\n'));
    expect(verdict).toMatchObject({ outcome: 'taken-back', failures: [{ check: 'own' }] });
  });

  test('only a person turns it on or off', async () => {
    const project = await guarded();
    const asAgent = project.open({ caller: { ancestors: () => [], agent: 'claude' } });
    await expect(asAgent.guardOff()).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
    await expect(asAgent.guardOn({ checks: ['own'] })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  });
});

describe('Session.guard', () => {
  test('does the work again with the failures, and reports the last attempt', async () => {
    const project = await new Project().trusted();
    await project.open().checkpoint();
    const session = project.session();
    const seen: unknown[] = [];
    const result = await session.guard(
      async ({ attempt, failures }) => {
        seen.push(failures.map(({ shown }) => shown));
        await session.call({ tool: 'fix', kind: 'other' }, () =>
          project.write('a.txt', attempt === 1 ? 'bad\n' : 'good\n'),
        );
        return attempt;
      },
      { checks: ['own'], attempts: 3 },
    );
    expect(result).toMatchObject({ outcome: 'good', attempts: 2, value: 2 });
    expect(seen).toEqual([[], ['bad']]);
    expect(project.read('a.txt')).toBe('good\n');
  });
});
