/** The views Restore and Conflicts: what is chosen, and nothing else, is written, byte for byte. */
import fs from 'node:fs';
import { type Project, project } from '@savepoint/testkit/command';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousIn } from './axe.ts';
import { openStudio } from './browser.ts';
import { hookedTurn } from './hooked-turn.ts';

const line = (number: number, text = `line ${number}`): string => `${text}\r\n`;
const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 30 }, (_, index) => line(index + 1, changed[index + 1])).join('');

const BINARY = [Buffer.from([0, 1]), Buffer.from([0, 2]), Buffer.from([0, 3])] as const;

/** An agent changed three files, and a person changed the same places afterwards. */
function conflicting(): Project {
  const p = project();
  p.write('code.ts', lines());
  p.write('logo.bin', BINARY[0]);
  p.write('plain.txt', 'one\n');
  p.checkpoint();
  hookedTurn(p, 'Change it', {
    'code.ts': lines({ 3: 'agent 3', 10: 'agent 10', 20: 'agent 20', 28: 'agent 28' }),
    'logo.bin': BINARY[1].toString('latin1'),
    'new.txt': 'of the agent\n',
    'plain.txt': 'two\n',
  });
  p.write('code.ts', lines({ 3: 'mine 3', 10: 'agent 10', 20: 'mine 20', 28: 'mine 28' }));
  fs.writeFileSync(p.at('logo.bin'), BINARY[2]);
  p.write('new.txt', 'of both\n');
  p.checkpoint();
  return p;
}

it('each conflict is decided by a key, and one act writes all', async () => {
  const p = conflicting();
  const { page, base, errors } = await openStudio(p, { reducedMotion: 'reduce' });
  await takeBackTurn(page);
  await page.getByRole('button', { name: 'Resolve the conflicts' }).click();
  const finish = page.locator('.view-head .button.main');
  const tags = page.locator('.conflicts .file-tree .tag');
  await expect.poll(() => tags.allTextContents()).toEqual(['open', 'open', 'open']);

  await file(page, 'code.ts');
  await page.locator('.cm-merge-b').waitFor();
  // Its language is loaded when the file needs it.
  await page.locator('.cm-merge-b .code-literal').first().waitFor();
  expect(await seriousInBothThemes(page)).toEqual([]);
  // Yours, theirs, both.
  for (const key of ['y', 'n', 't', 'n', 'b']) await page.keyboard.press(key);
  await expect.poll(() => tags.allTextContents()).toEqual(['resolved', 'open', 'open']);
  expect(await finish.isDisabled()).toBe(true);
  // Undone in the editor, it is not decided any more.
  await page.locator('.cm-merge-b .cm-content').focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => tags.first().textContent()).toBe('open');
  await page.keyboard.press('Control+y');
  await page.keyboard.press('Escape');
  await file(page, 'logo.bin');
  await page.getByRole('button', { name: 'Take this one' }).waitFor();
  expect(await seriousInBothThemes(page)).toEqual([]);
  await page.keyboard.press('t');
  await file(page, 'new.txt');
  await page.getByRole('button', { name: 'Delete the file' }).waitFor();
  await page.keyboard.press('y');
  await page.getByText('All 3 files are resolved').waitFor();
  expect(p.read('plain.txt')).toBe('two\n');
  await expect.poll(() => decidedIn(page.url())).toBe(3);
  await sameElsewhere(p, page.url().slice(base.length));

  await finish.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take back', exact: true }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  const both = `${line(28, 'mine 28')}${line(28)}`;
  expect(p.read('code.ts')).toBe(lines({ 3: 'mine 3' }).replace(line(28), both));
  expect(fs.readFileSync(p.at('logo.bin'))).toEqual(BINARY[0]);
  expect([p.read('new.txt'), p.read('plain.txt')]).toEqual(['of both\n', 'one\n']);
  expect(page.url()).toContain(`${base}/timeline`);
  expect(errors).toEqual([]);
});

it('restores the chosen files as its preview shows them, and does nothing if they changed since', async () => {
  const p = conflicting();
  p.write('folder/deep.txt', 'not there at first\n');
  p.checkpoint();
  const { page, base, errors } = await openStudio(p);
  const except = (...files: readonly string[]): string =>
    `${base}/restore?to=cp_1&except=${encodeURIComponent(JSON.stringify(files))}`;
  // What is not checked is not touched, and is no conflict, also after conflicts are resolved.
  await page.goto(except('logo.bin', 'new.txt', 'plain.txt', 'folder/deep.txt'));
  await page.getByRole('button', { name: 'Take back only what agents changed' }).click();
  await page.getByText('1 of 4 files').waitFor();
  await page.getByText('1 conflict: nothing is restored').waitFor();
  expect(await page.getByRole('checkbox', { name: 'Restore code.ts' }).isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Resolve the conflicts' }).click();
  await page.locator('.cm-merge-b').waitFor();
  expect(await page.locator('.conflicts .file-tree .tag').allTextContents()).toEqual(['open']);
  for (const key of ['t', 'n', 'y', 'n', 'y']) await page.keyboard.press(key);
  await page.getByText('The file is resolved').waitFor();
  await page.locator('.view-head .button.main').click();
  await page.getByRole('dialog').getByText('1 path changes').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('Choose where to go back to').waitFor();
  expect(p.read('code.ts')).toBe(lines({ 20: 'mine 20', 28: 'mine 28' }));
  expect([p.read('plain.txt'), p.read('new.txt'), p.has('folder/deep.txt')]).toEqual(['two\n', 'of both\n', true]);
  expect(fs.readFileSync(p.at('logo.bin'))).toEqual(BINARY[2]);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => p.read('code.ts')).toContain('mine 3\r');
  await page.goto(except('code.ts'));
  await page.getByText('Not only claude changed files since').waitFor();
  await page.getByRole('button', { name: 'Overwrite these changes, too' }).click();
  const restore = page.getByRole('button', { name: 'Restore 4 files' });
  await restore.waitFor();
  await page.locator('.diff').getByText('not there at first').waitFor();
  // The last moment before the click.
  p.write('plain.txt', 'three\n');
  await restore.click();
  await page.getByRole('alert').getByText('changed after the preview').waitFor();
  expect([p.read('plain.txt'), p.has('folder/deep.txt')]).toEqual(['three\n', true]);
  await page.locator('.diff').getByText('three', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'Restore new.txt' }).click();
  await page.getByRole('button', { name: 'Restore 3 files' }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  const left = [p.read('plain.txt'), p.has('folder'), p.read('new.txt')];
  expect(left).toEqual(['one\n', false, 'of both\n']);
  expect(p.read('code.ts')).toContain('mine 3');
  // Also without the message that offered it.
  await page.getByRole('button', { name: 'Close the message' }).last().click();
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog', { name: 'Undo the last operation' });
  await dialog.getByText(/^This takes back what cp_\d+ did/).waitFor();
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => p.has('folder/deep.txt')).toBe(true);
  expect(p.read('plain.txt')).toBe('three\n');
  // Only the folder of the workspace, without repositories in it.
  await page.goto(`${base}/restore?to=cp_1&mode=exact&root=.`);
  await page.getByRole('button', { name: 'Restore 5 files' }).waitFor();
  expect(errors).toEqual([]);
});

/** The number of files that the address has decisions about. */
function decidedIn(address: string): number {
  const fragment = Buffer.from(address.split('#')[1] ?? '', 'base64url').toString();
  return Object.keys(JSON.parse(fragment).picks).length;
}

/** Another browser, at another server, which knows nothing but the address. */
async function sameElsewhere(p: Project, address: string): Promise<void> {
  const { page, base, errors } = await openStudio(p);
  await page.goto(`${base}${address}`);
  await page.getByText('All 3 files are resolved').waitFor();
  await file(page, 'code.ts');
  await page.getByText('Conflict 1 of 3').getByText('yours').waitFor();
  await page.keyboard.press('n');
  await page.getByText('Conflict 2 of 3').getByText('theirs').waitFor();
  await page.locator('.cm-merge-b', { hasText: 'line 20' }).waitFor();
  await page.locator('.view-head .button.main').click();
  await page.getByRole('dialog').getByText('3 paths change').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(errors).toEqual([]);
  await handMadeAddress(p, address);
}

/** Lines in an address that nobody saw on this page are not decided, and it says nothing about anything else. */
async function handMadeAddress(p: Project, address: string): Promise<void> {
  const { page, base, errors } = await openStudio(p);
  const [where, fragment = ''] = address.split('#');
  const made = JSON.parse(Buffer.from(fragment, 'base64url').toString());
  const region = { from: 0, to: 0, choice: 'theirs' };
  made.picks['code.ts'] = { of: made.picks['code.ts'].of, text: 'stolen()\n', regions: [region, region, region] };
  made.file = 'new.txt';
  await page.goto(`${base}${where}#${Buffer.from(JSON.stringify(made)).toString('base64url')}`);
  await page.getByText('1 of 3 files to resolve').waitFor();
  expect(await page.locator('.view-head .button.main').isDisabled()).toBe(true);
  await file(page, 'code.ts');
  await page.getByRole('alert').getByText('came with the address').waitFor();
  await page.locator('.cm-merge-b', { hasText: 'stolen()' }).waitFor();
  await page.getByText('All 3 files are resolved').waitFor();
  expect(errors).toEqual([]);
}

async function takeBackTurn(page: Page): Promise<void> {
  const turn = page.locator('.turn-row', { hasText: 'Change it' });
  await turn.hover();
  await turn.getByRole('button', { name: 'Take back' }).click();
}

async function seriousInBothThemes(page: Page): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    seen.push(...(await seriousIn(page, colorScheme)));
  }
  return seen;
}

async function file(page: Page, name: string): Promise<void> {
  await page.locator('.conflicts .file-tree button', { hasText: name }).click();
  await page.getByRole('region', { name, exact: true }).waitFor();
}
