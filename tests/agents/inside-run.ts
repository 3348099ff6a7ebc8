/** What every agent program can do inside `savepoint run`, tested with the real program on a terminal. */
import { describe, expect, it } from 'vitest';
import { until } from '../frontends/hosted-terminal.ts';
import { whyNot } from './hooked.ts';
import { AgentTerminal, interactiveProject } from './in-terminal.ts';
import type { Interactive } from './interactive.ts';
import type { Plan, Step } from './model/plan.ts';
import { timeline } from './timeline.ts';

const TEST_MS = 10 * 60_000;
const ENTER = '\r';

/** The steps for a prompt that begins with these words. */
export function answerTo(words: string, ...steps: readonly Step[]): Plan[number] {
  return { marker: words, isForPrompt: true, steps: [...steps, { text: `${words} is done.` }] };
}

export function describeInsideRun(interactive: Interactive): void {
  const { program } = interactive;
  const { write, read, edit, shell, name } = program;

  describe.skipIf(whyNot !== null)(`${name} inside run`, () => {
    it(
      'goes back to the files before a prompt under its screen, which is the same afterwards, and goes on',
      async () => {
        const project = interactiveProject(interactive);
        if (!interactive.hasHooksForRun) project.ok('install', name, '--user');
        const agent = new AgentTerminal(project, [
          answerTo(
            'Add',
            { calls: [write(project.at('new.txt'), 'new\n')] },
            { calls: [shell('echo it > shell.txt')] },
          ),
          answerTo(
            'Improve',
            { calls: [read(project.at('keep.txt'))] },
            { calls: [edit(project.at('keep.txt'), 'two', 'TWO')] },
            { calls: [shell('sed -i s/beta/BETA/ src/lib.txt; rm old.txt')] },
          ),
          answerTo('Continue', { calls: [shell('cat keep.txt src/lib.txt > both.txt')] }),
        ]);
        const { terminal } = agent;
        await agent.prompt('Add a file', /Add is done/);
        expect([project.read('new.txt'), project.read('shell.txt')]).toEqual(['new\n', 'it\n']);
        await agent.prompt('Improve the library', /Improve is done/);
        expect(project.read('keep.txt')).toContain('TWO');
        expect(project.has('old.txt')).toBe(false);

        await showsTheSameScreenAfterOverlay(agent);

        await agent.openOverlay();
        await agent.choose('Improve the library');
        terminal.type('1');
        await terminal.displays(/y go back/);
        terminal.type('y');
        await terminal.displays(/Went back to before/);
        terminal.type(ENTER);
        await agent.ready();
        expect(project.read('keep.txt')).not.toContain('TWO');
        expect([project.read('src/lib.txt'), project.has('old.txt'), project.has('new.txt')]).toEqual([
          'alpha\nbeta\ngamma\n',
          true,
          true,
        ]);

        await agent.prompt('Continue with it', /Continue is done/);
        expect(project.read('both.txt')).toBe(project.read('keep.txt') + project.read('src/lib.txt'));
        await agent.quit();
        expect((await terminal.emulated()).isAlternate).toBe(false);

        // `run` hosts the session, and is no author.
        const steps = timeline(project);
        const authors = new Set(
          steps
            .flatMap(({ changes }) => (changes ?? []).flatMap((change) => change.authors))
            .filter(({ tool }) => tool !== 'restore' && tool !== null)
            .map(({ actor, tool }) => `${actor.name} ${tool === 'run' ? 'run' : 'call'}`),
        );
        expect([...authors]).toEqual([`${name} call`]);
        project.ok('rollback', '--agent', name, '--likely', '--yes');
        expect([project.has('new.txt'), project.has('shell.txt'), project.has('both.txt')]).toEqual([
          false,
          false,
          false,
        ]);
      },
      TEST_MS,
    );
  });
}

/** For agents whose conversations can go back. */
export function describeConversationInsideRun(interactive: Interactive): void {
  const { program } = interactive;
  const { write, name } = program;

  describe.skipIf(whyNot !== null)(`${name} inside run, with the conversation`, () => {
    it(
      'goes back to before a prompt, and continues there with the prompt to edit',
      async () => {
        const project = interactiveProject(interactive);
        if (!interactive.hasHooksForRun) project.ok('install', name, '--user');
        const agent = new AgentTerminal(project, [
          answerTo('First', { calls: [write(project.at('first.txt'), 'first\n')] }),
          answerTo('Second', { calls: [write(project.at('second.txt'), 'second\n')] }),
        ]);
        const { terminal } = agent;
        await agent.prompt('First this', /First is done/);
        await agent.prompt('Second that', /Second is done/);
        expect([project.has('first.txt'), project.has('second.txt')]).toEqual([true, true]);
        const answers = () => agent.seen().filter(({ marker }) => marker === 'Second');

        await agent.openOverlay();
        await agent.choose('Second that');
        // The model writes what it saw a moment after its answer.
        const before = answers().length;
        terminal.type('2');
        const { screen } = await terminal.displays(/y go back, files and conversation/);
        expect(screen).toMatch(/loses \d+ messages? \(1 prompt\)/);
        expect(project.has('second.txt')).toBe(true);
        terminal.type('y');
        // Its words are in the input of the program that continues, and are not sent.
        const wanted = interactive.edited('Second that');
        await terminal.displays(new RegExp(`^(?![\\s\\S]*Second is done)[\\s\\S]*${wanted.source}`));
        expect([project.has('first.txt'), project.has('second.txt')]).toEqual([true, false]);
        expect(answers().length).toBe(before);
        await terminal.still();
        await agent.type(' again');
        await terminal.still();
        terminal.type(ENTER);
        await terminal.displays(/Second is done/);
        await agent.ready();
        expect(project.has('second.txt')).toBe(true);
        const { allText, userTexts } = answers().at(-1) ?? { allText: '', userTexts: [] };
        expect(allText).toContain('First is done');
        expect(allText).not.toContain('Second is done');
        expect(userTexts.filter(({ text }) => /^(?:First|Second)/.test(text)).map(({ text }) => text)).toEqual([
          'First this',
          'Second that again',
        ]);
        await agent.quit();
        // The hooks also work in the program that continues.
        const last = timeline(project).findLast(({ trigger }) => trigger === 'call');
        expect(last?.changes).toMatchObject([{ path: 'second.txt', authors: [{ actor: { name } }] }]);
      },
      TEST_MS,
    );
  });
}

/** The program may redraw by itself while the overlay is open, for example remove a hint. Then it is looked at again. */
async function showsTheSameScreenAfterOverlay(agent: AgentTerminal, attempts = 3): Promise<void> {
  const { terminal } = agent;
  const before = await agent.openOverlay();
  await agent.choose('Improve the library');
  await terminal.displays(/keep\.txt[\s\S]*old\.txt|old\.txt[\s\S]*keep\.txt/);
  terminal.type('c');
  try {
    await until(
      async () => {
        const now = await terminal.emulated();
        return now.cells === before.cells && now.cursor.join() === before.cursor.join();
      },
      () => `the screen as it was:\n${before.screen}`,
    );
  } catch (error) {
    if (attempts > 1) return showsTheSameScreenAfterOverlay(agent, attempts - 1);
    throw new Error(`${(error as Error).message}\nand not\n${(await terminal.emulated()).screen}`);
  }
  expect(await terminal.emulated()).toEqual(before);
}
