/** A person beside a real agent: its work as it happens, one part of it back, and a restore that needs both of them. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { whyNot } from '../../agents/hooked.ts';
import { openStudio } from './browser.ts';

const NUMBERED = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const TEXT = `${NUMBERED.join('\n')}\n`;
const AGENTS = TEXT.replace('line 3\n', 'line three\n').replace('line 35\n', 'line thirty-five\n');
const FIRST_BACK = TEXT.replace('line 35\n', 'line thirty-five\n');

describe.skipIf(whyNot !== null)('a person beside a real agent', () => {
  it('sees its work, takes one part back, undoes that, and merges a restore with an edit by hand', async () => {
    const p = hookedProject(claude);
    p.write('notes.txt', TEXT);
    p.commitAll();
    p.checkpoint();
    const { page, base, errors } = await openStudio(p);
    await page.goto(`${base}/now`);
    await page.getByText('Live', { exact: true }).waitFor();

    const go = path.join(p.base, 'go');
    const waits = `while [ ! -e '${go}' ]; do sleep 0.1; done`;
    const steps = [
      { calls: [claude.read(p.at('notes.txt'))] },
      { calls: [claude.write(p.at('notes.txt'), AGENTS)] },
      { calls: [claude.shell(waits)] },
      { text: 'All done.' },
    ];
    const work = p.work([{ marker: '', steps }], { args: ACCEPT }, 'Write two numbers in words');
    // Only to say how long it took: a busy machine needs longer.
    const written = until(() => p.read('notes.txt') === AGENTS);
    await page.locator('.feed li', { hasText: 'notes.txt' }).waitFor();
    const shown = Date.now();
    console.log(`the page showed the change ${shown - (await written)} ms after it was made`);
    await page.locator('.running', { hasText: 'sleep 0.1' }).waitFor();
    fs.writeFileSync(go, '');
    expect((await work).status).toBe(0);
    await page.locator('.running').waitFor({ state: 'detached' });

    await page.goto(`${base}/timeline`);
    const turn = page.locator('.turn-row', { hasText: 'Write two numbers in words' });
    await turn.hover();
    await turn.getByRole('link', { name: 'Changes' }).click();
    await page.locator('.gap-row').first().getByRole('button', { name: 'Take back' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 path changes').waitFor();
    await dialog.getByRole('button', { name: 'Take back', exact: true }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
    expect(p.read('notes.txt')).toBe(FIRST_BACK);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Undone.').waitFor();
    expect(p.read('notes.txt')).toBe(AGENTS);

    // A person edits one of the two lines of the agent. The restore takes the other one back without asking.
    const mine = AGENTS.replace('line three\n', 'line three, of mine\n');
    p.write('notes.txt', mine);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.locator('.points button', { hasText: 'Before “Write two numbers in words”' }).click();
    await page.getByRole('button', { name: 'Take back only what agents changed' }).click();
    await page.getByRole('button', { name: 'Resolve the conflicts' }).click();
    const state = page.locator('.conflict-bar');
    await state.getByText('not decided').waitFor();
    for (const side of ['line three', 'line three, of mine', 'line 3'])
      await page.locator('.three-sides pre', { hasText: side }).first().waitFor();
    await resolveByHand(page, 'line 3, as we both want it');
    expect(p.read('notes.txt')).toBe(mine);

    // The file changes once more: the restore is refused, and what was resolved is kept.
    const later = `${mine}one line more\n`;
    await page.getByRole('button', { name: 'Restore …' }).click();
    await dialog.getByText('1 path changes').waitFor();
    p.write('notes.txt', later);
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(p.read('notes.txt')).toBe(later);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Your decisions are kept').waitFor();
    await page.locator('.cm-merge-b', { hasText: 'line 3, as we both want it' }).waitFor();

    // Leaving would lose it, so the page asks.
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('dialog', { name: 'Leave without writing the results?' }).getByText('Stay').click();

    await page.getByRole('button', { name: 'Restore …' }).click();
    await dialog.getByText('1 path changes').waitFor();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
    expect(p.read('notes.txt')).toBe(`${TEXT.replace('line 3\n', 'line 3, as we both want it\n')}one line more\n`);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await until(() => p.read('notes.txt') === later);

    // The conversation alone: it goes back as a new session, and the files stay.
    await page.goto(`${base}/restore`);
    await page.locator('.points button', { hasText: 'Before “Write two numbers in words”' }).click();
    await page.getByRole('button', { name: 'Conversation', exact: true }).click();
    await page.getByText('The conversation of claude loses').waitFor();
    await page.getByRole('button', { name: 'Restore the conversation' }).click();
    await page.locator('.outcome', { hasText: 'The conversation continues with claude' }).waitFor();
    expect(p.read('notes.txt')).toBe(later);
    expect(errors).toEqual([]);
  });
});

/** By keyboard alone. */
async function resolveByHand(page: Page, line: string): Promise<void> {
  await page.keyboard.press('e');
  await page.locator('.cm-merge-b .cm-content:focus').waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.type(line);
  await page.keyboard.press('Escape');
  await page.getByText('edited by hand').waitFor();
}

/** @returns when it became so */
async function until(isSo: () => boolean): Promise<number> {
  const end = Date.now() + GIVE_UP_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return Date.now();
}

const GIVE_UP_MS = 120_000;
