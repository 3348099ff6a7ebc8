import { expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { whyNot } from '../../agents/hooked.ts';
import { openStudio } from './browser.ts';

/**
 * A plan of the real Claude Code in the browser: reviewed, a hunk rejected, lines commented on, revised by the agent that gets
 * the comment with its next prompt, applied, found bad by a check, and rolled back.
 */

const FIRST = 'Improve the texts.';
const SECOND = 'Go on.';
const COMMENT = 'This should be French.';
const TEXT = Array.from({ length: 30 }, (_, index) => `item ${String(index + 1).padStart(2, '0')}\n`).join('');
/** It fails if a word of the plan is in the book. */
const CHECKS = { checks: { own: { command: ['sh', '-c', '! grep -n DEUX book.txt'], kind: 'lint' } } };

it.skipIf(whyNot !== null)(
  'a plan is reviewed, commented, revised by the agent, applied, fails its validation and is rolled back',
  async () => {
    const project = hookedProject(claude);
    project.write('book.txt', TEXT);
    project.write('.savepoint.json', JSON.stringify(CHECKS));
    project.ok('trust', '--yes');
    project.ok('plan', 'mode', 'on');
    const book = project.at('book.txt');
    const steps = [
      { calls: [claude.read(book)] },
      { calls: [claude.edit(book, 'item 02', 'TWO')] },
      { calls: [claude.edit(book, 'item 20', 'TWENTY')] },
      { text: 'Proposed.' },
    ];
    const first = await project.work([{ marker: FIRST, isForPrompt: true, steps }], { args: ACCEPT }, FIRST);
    expect(first, first.stderr).toMatchObject({ status: 0 });

    const { page, base, errors } = await openStudio(project);
    // From the turn to the plan that it made, and back. The page says that plan mode is on.
    await page
      .locator('.turn-row', { hasText: FIRST })
      .getByRole('link', { name: /^made plan_.*to review$/ })
      .click();
    await page.getByRole('link', { name: `“${FIRST}”` }).click();
    await page.locator('.turn-row', { hasText: FIRST }).waitFor();
    await page.goto(`${base}/plans`);
    const mode = page.getByRole('region', { name: 'Plan mode' });
    await mode.getByText(/^on for all sessions/).waitFor();
    await mode.getByText('Claude Code', { exact: true }).waitFor();
    await page.locator('.plan-row', { hasText: FIRST }).click();
    await page.getByText('TWENTY', { exact: true }).waitFor();
    // All by keyboard: the second part is rejected, and the line with TWO is chosen.
    for (const key of ['n', 'n', 'r']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Reject', pressed: true }).first().waitFor();
    for (let line = 0; line < 20 && !(await isChosen('TWO')); line++) await page.keyboard.press('j');
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Comment on line 2' }).fill(COMMENT);
    await page.keyboard.press('Control+Enter');
    const comment = page.locator('.comment', { hasText: COMMENT });
    await comment.getByText('not sent yet: goes to claude with its next prompt').waitFor();

    const revised = [
      { calls: [claude.read(book)] },
      { calls: [claude.edit(book, 'item 02', 'DEUX')] },
      { text: 'Revised.' },
    ];
    const resume = [...ACCEPT, '--resume', JSON.parse(first.stdout).session_id];
    const script = { marker: SECOND, isForPrompt: true, steps: revised };
    const second = await project.work([script], { args: resume }, SECOND);
    expect(second, second.stderr).toMatchObject({ status: 0 });
    const [prompted] = second.seen.filter(({ marker }) => marker === SECOND);
    expect(prompted?.allText).toContain(`> TWO\n${COMMENT}`);
    expect(second.seen.at(-1)?.allText.split(COMMENT)).toHaveLength(2);

    // The page shows the revision, and that the comment is about lines that are gone.
    await page.getByText('DEUX', { exact: true }).waitFor();
    await comment.getByText(/^sent to claude at /).waitFor();
    await comment.getByText('outdated').waitFor();
    await comment.getByRole('button', { name: 'Resolve' }).click();
    await comment.getByRole('button', { name: 'Reopen' }).waitFor();
    expect(project.read('book.txt')).toBe(TEXT);

    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Apply the plan' });
    await dialog.getByRole('checkbox', { name: 'Run the checks afterwards' }).check();
    await dialog.getByText('1 path changes').waitFor();
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText(/Its checks found new failures/).waitFor();
    expect(project.read('book.txt')).toBe(TEXT.replace('item 02', 'DEUX'));
    await page.getByRole('region', { name: 'Where the plan is from' }).getByText('applied by you').waitFor();
    expect(JSON.parse(project.ok('plan', 'list', '--all', '--json').stdout).plans).toMatchObject([
      { by: { name: 'claude' }, authors: [{ name: 'claude' }], applied_by: { kind: 'user' } },
    ]);
    const validation = page.getByRole('region', { name: 'Checks after it was applied' });
    await validation
      .getByText(/new failure/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText('rolled back', { exact: true }).waitFor();
    expect(project.read('book.txt')).toBe(TEXT);

    // Once more, and this time it is rolled back by itself, which the dialog says.
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await dialog.getByRole('checkbox', { name: 'Run the checks afterwards' }).check();
    await dialog.getByLabel('If they find new failures').selectOption('roll the plan back');
    await dialog.getByText('1 path changes').waitFor();
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await dialog.getByText('The plan was applied and rolled back').waitFor();
    await dialog
      .getByRole('region', { name: 'Checks after it was applied' })
      .getByText(/new failure/)
      .first()
      .waitFor();
    expect(project.read('book.txt')).toBe(TEXT);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Checks after it was applied, before it was rolled back' }).waitFor();

    await page.goto(`${base}/plans`);
    await mode.getByRole('button', { name: 'Turn off' }).click();
    await mode.getByText('off', { exact: true }).waitFor();
    expect(project.ok('plan', 'mode').stdout).toContain('Plan mode is off.');
    await mode.getByLabel('Turn plan mode on for one session').selectOption({ index: 1 });
    await mode.getByText('on for one session').waitFor();
    expect(project.ok('plan', 'mode').stdout).toContain('Plan mode is on for session');
    expect(errors).toEqual([]);

    async function isChosen(text: string): Promise<boolean> {
      return (await page.locator('.is-chosen code', { hasText: text }).count()) > 0;
    }
  },
  10 * 60_000,
);
