import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { main } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentProject, hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { whyNot } from '../../agents/hooked.ts';
import { AgentTerminal, interactiveProject } from '../../agents/in-terminal.ts';
import { answerTo } from '../../agents/inside-run.ts';
import { interactiveClaude } from '../../agents/interactive.ts';
import type { AgentProgram } from '../../agents/program.ts';
import { timeline } from '../../agents/timeline.ts';
import { until } from '../../frontends/hosted-terminal.ts';

/** The real program in `savepoint run --isolated`, in an overlay. */

const { read, edit, write, shell } = claude;
const TEST_MS = 10 * 60_000;

const isolated: AgentProgram = {
  ...claude,
  command: (...given) => [process.execPath, main, 'run', '--isolated', '--apply', '--', ...claude.command(...given)],
};

/** Prints all of the folder that is not the time of the last access, then the outer store, without the copies in it. */
const LOOK = `find . -printf '%p %m %i %n %s %T@ %C@\\n' | sort
find . -type f -exec sha256sum {} + | sort
find "$SAVEPOINT_HOME/workspaces" -type f -printf '%P %s %T@\\n' | sort`;
const STORES_INSIDE = 'ls -d "$SAVEPOINT_HOME"/copies/copy_*/home/workspaces/*';

/** @returns a command that saves what another one prints, and where */
function saved(project: AgentProject, name: string, command: string) {
  const [script, file] = [join(project.base, `${name}.sh`), join(project.base, `${name}.txt`)];
  writeFileSync(script, command);
  return { command: `sh '${script}' >'${file}'`, printed: () => readFileSync(file, 'utf8') };
}

/** A daemon that answers the hooks of this project, if they ask for it. It ends with the test. */
async function outerDaemon(project: AgentProject) {
  const runtime = join(project.base, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const env = { XDG_RUNTIME_DIR: runtime, SAVEPOINT_DAEMON: 'on' };
  const child = spawn(process.execPath, [main, 'daemon', 'run', '--idle', '300'], {
    cwd: '/',
    env: project.environment({ env }),
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const status = () => JSON.parse(project.run(['daemon', 'status', '--json'], { cwd: '/', env }).stdout);
  await until(
    async () => status().running === true,
    () => 'the daemon',
    60_000,
  );
  return { env, status };
}

describe.skipIf(whyNot !== null || whyNoOverlays() !== null)('claude, isolated', () => {
  it(
    'changes the folder only when its changes are applied, as their sure author, and its hooks stay inside',
    async () => {
      const project = hookedProject(isolated);
      project.commitAll();
      project.ok('checkpoint', '-m', 'start');
      const daemon = await outerDaemon(project);
      const keep = project.at('keep.txt');
      const first = saved(project, 'first', LOOK);
      const last = saved(project, 'last', LOOK);
      const stores = saved(project, 'stores', STORES_INSIDE);
      const person = 'sed -i s/nine/NINE/ keep.txt; echo mine >person.txt';
      const steps = [
        { meanwhile: first.command, calls: [read(keep)] },
        { calls: [edit(keep, 'two', 'TWO')] },
        { calls: [write(project.at('new.txt'), 'new\n')] },
        { calls: [shell('sed -i s/beta/BETA/ src/lib.txt; rm old.txt; pwd; git add -A; git status --short')] },
        { meanwhile: `${last.command}; ${stores.command}; ${person}`, text: 'All done.' },
      ];
      const ran = await project.work([{ marker: '', steps }], { args: ACCEPT, env: daemon.env });
      expect(ran, ran.stderr).toMatchObject({ status: 0 });
      expect(ran.stdout).toContain('All done.');
      expect(ran.stderr).not.toContain('no overlay is possible');
      expect(ran.seen.at(-1)?.results.at(-1)?.text).toBe(
        `${project.dir}\nM  keep.txt\nA  new.txt\nD  old.txt\nM  src/lib.txt`,
      );
      expect(last.printed()).toBe(first.printed());
      expect(stores.printed().trim().split('\n')).toHaveLength(1);

      expect(project.read('keep.txt')).toBe('one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nten\n');
      const captured = timeline(project);
      // No hook reached the outside.
      expect(daemon.status()).toMatchObject({ running: true, events: 0 });
      expect(captured.map(({ trigger }) => trigger)).toEqual(['manual', 'session', 'prompt', 'apply']);
      const authors = captured
        .slice(2)
        .flatMap(({ changes }) =>
          (changes ?? []).map(
            ({ path, grade, authors: by }) => `${path} ${grade} ${by.map(({ actor }) => actor.name)}`,
          ),
        );
      expect(authors).toEqual([
        'keep.txt sure outside',
        'person.txt sure outside',
        'keep.txt sure claude',
        'new.txt sure claude',
        'old.txt sure claude',
        'src/lib.txt sure claude',
      ]);
      project.ok('rollback', '--agent', 'claude', '--yes');
      expect(project.read('keep.txt')).toBe('one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nten\n');
      expect([project.has('new.txt'), project.has('old.txt'), project.has('person.txt')]).toEqual([false, true, true]);
    },
    TEST_MS,
  );

  it(
    'with --each-turn, each prompt is a turn with its changes, and the changes of the person get into the copy',
    async () => {
      const project = interactiveProject(interactiveClaude);
      project.ok('checkpoint', '-m', 'start');
      const keep = project.at('keep.txt');
      const plan = [
        answerTo('Add', { calls: [write(project.at('new.txt'), 'new\n')] }, { calls: [shell('rm old.txt')] }),
        answerTo('Explain'),
        answerTo(
          'Improve',
          { calls: [shell('until test -e person.txt; do sleep 0.05; done; cat person.txt')] },
          { calls: [read(keep)] },
          { calls: [edit(keep, 'two', 'TWO')] },
        ),
      ];
      const agent = new AgentTerminal(project, plan, { options: ['--isolated', '--each-turn', '--apply'] });
      const holds = (what: string, isSo: () => boolean) =>
        until(
          async () => isSo(),
          () => what,
          60_000,
        );
      await agent.prompt('Add a file', /Add is done/);
      await holds('the first turn', () => project.has('new.txt') && !project.has('old.txt'));
      project.write('person.txt', 'mine\n');
      await agent.prompt('Explain it', /Explain is done/);
      await agent.prompt('Improve the file', /Improve is done/);
      await holds('the third turn', () => project.read('keep.txt').includes('TWO'));
      await agent.quit();
      await agent.terminal.displays(/rollback --session/);
      const { turns } = JSON.parse(project.ok('turns', '--json').stdout);
      const shown = turns.map((one: { prompt: string; files: number }) => `${one.prompt}: ${one.files}`);
      expect(shown).toEqual([
        'Explain it / Improve the file (recorded in a copy): 1',
        'Add a file (recorded in a copy): 2',
      ]);
      const authors = timeline(project).flatMap(({ changes }) =>
        (changes ?? []).map(({ path, grade, authors: by }) => `${path} ${grade} ${by.map(({ actor }) => actor.name)}`),
      );
      expect(authors).toEqual([
        'new.txt sure claude',
        'old.txt sure claude',
        'person.txt sure outside',
        'keep.txt sure claude',
      ]);
      const { allText = '', results = [] } = agent.seen().at(-1) ?? {};
      expect(allText).toContain('Add is done');
      expect(results.map(({ text }) => text)).toContain('mine');
    },
    TEST_MS,
  );
});
