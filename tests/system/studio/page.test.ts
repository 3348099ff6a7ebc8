import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { type Project, project } from '@savepoint/testkit/command';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openStudio } from './browser.ts';
import { hookedTurn, say } from './hooked-turn.ts';

/** The page of Studio in a real browser, on real files and a real store. */

const NUMBERED = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const TEXT = `${NUMBERED.join('\n')}\n`;
const CHANGED = TEXT.replace('line 3\n', 'line three\n').replace('line 35\n', 'line thirty-five\n');
const FIRST_BACK = TEXT.replace('line 35\n', 'line thirty-five\n');

it('shows a turn as it happens, takes one hunk of it back, and undoes that', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.checkpoint();
  const { page, errors } = await openStudio(p);
  await page.getByText('Live', { exact: true }).waitFor();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED });
  const turn = page.locator('.turn-row', { hasText: 'Write two numbers in words' });
  await turn.hover();
  await turn.getByRole('link', { name: 'Changes' }).click();
  await page.getByText('line three', { exact: true }).waitFor();
  // The margin says who wrote the line, and how sure that is.
  await page
    .getByRole('link', { name: /^claude \(/ })
    .first()
    .waitFor();

  await page.locator('.gap-row').first().getByRole('button', { name: 'Take back' }).click();
  const dialog = page.getByRole('dialog', { name: 'Take back a part of notes.txt' });
  await dialog.getByText('1 path changes').waitFor();
  // The preview has the lines.
  await dialog.locator('.code-row.removed', { hasText: 'line three' }).waitFor();
  await dialog.locator('.code-row.added', { hasText: 'line 3' }).waitFor();
  expect(p.read('notes.txt')).toBe(CHANGED);
  await dialog.getByRole('button', { name: 'Take back', exact: true }).click();
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await undo.waitFor();
  expect(p.read('notes.txt')).toBe(FIRST_BACK);
  const mark = page.locator('.gap-row', { hasText: /taken back by you, \d\d:\d\d/ });
  await mark.getByRole('link', { name: /^cp_/ }).waitFor();
  expect(await page.locator('.gap-row').getByRole('button', { name: 'Take back' }).count()).toBe(1);
  await mark.getByRole('button', { name: 'Undo …' }).click();
  const undoing = page.getByRole('dialog', { name: /^Undo cp_/ });
  await undoing.locator('.code-row.added', { hasText: 'line three' }).waitFor();
  await undoing.getByRole('button', { name: 'Undo', exact: true }).click();
  await mark.waitFor({ state: 'detached' });
  expect(p.read('notes.txt')).toBe(CHANGED);
  expect(errors).toEqual([]);
});

it('shows the running call of an agent, and connects again to a server that was killed', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.checkpoint();
  const { page, base, restart } = await openStudio(p);
  await page.goto(`${base}/now`);
  await page.getByText('Live', { exact: true }).waitFor();
  const call = { tool_name: 'Bash', tool_input: { command: 'sed -i s/1/one/ notes.txt' }, tool_use_id: 'call-1' };
  say(p, { hook_event_name: 'UserPromptSubmit', prompt: 'Write one in words' });
  say(p, { hook_event_name: 'PreToolUse', ...call });
  await page.locator('.running', { hasText: 'sed -i s/1/one/ notes.txt' }).waitFor();
  await restart();
  p.write('notes.txt', TEXT.replace('line 1\n', 'line one\n'));
  say(p, { hook_event_name: 'PostToolUse', ...call, tool_response: {} });
  await page.locator('.feed li', { hasText: 'notes.txt' }).waitFor();
  await page.locator('.running').waitFor({ state: 'detached' });
  await page.getByText('Live', { exact: true }).waitFor();
});

it('takes a hunk that two turns made back, then chosen lines by keyboard, and comments on a line', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.checkpoint();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED });
  const louder = CHANGED.replace('line three\n', 'LINE THREE\nand a half\n').replace('thirty-five', 'THIRTY-FIVE');
  hookedTurn(p, 'Louder, please', { 'notes.txt': louder }, true);
  const { page, base, errors } = await openStudio(p);
  await page.goto(`${base}/changes?from=cp_1`);
  await page.getByText('LINE THREE', { exact: true }).waitFor();
  await page.locator('.gap-row').nth(1).getByRole('button', { name: 'Take back' }).click();
  await confirmTakeBack(page);
  expect(p.read('notes.txt')).toBe(louder.replace('line THIRTY-FIVE\n', 'line 35\n'));
  // What both turns made does not look as if it was still there.
  const other = await page.context().newPage();
  await other.goto(`${base}/changes?from=cp_1&to=cp_5`);
  await other.locator('.gap-row', { hasText: /taken back by you, / }).waitFor();
  expect(await other.locator('.gap-row').getByRole('button', { name: 'Take back' }).count()).toBe(1);
  // The head of the file does not say more than its lines.
  const grades = other.locator('.diff .virtual .grade-mark');
  expect(await grades.allTextContents()).toEqual(['Author: 1 likely', 'Author: 1 sure']);
  await other.close();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('Undone.').waitFor();
  expect(p.read('notes.txt')).toBe(louder);

  // Only one of the two lines that were added in the same place.
  const line = page.locator('.code-row.added', { hasText: 'and a half' });
  await line.locator('.number').last().click();
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Comment on line 4' }).fill('Half of what?');
  await page.keyboard.press('Control+Enter');
  const comment = page.locator('.comment', { hasText: 'Half of what?' });
  await comment.getByText('goes to claude with its next prompt').waitFor();
  await line.locator('.number').last().click();
  await page.keyboard.press('b');
  await confirmTakeBack(page);
  expect(p.read('notes.txt')).toBe(louder.replace('and a half\n', ''));
  await takesTheRest(page, `${base}/changes?change=cp_5.1`);
  await comment.getByText('outdated').waitFor();
  await comment.getByRole('button', { name: 'Delete' }).click();
  await comment.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});

/** A hunk of which one line was taken back is in conflict with that, and the dialog says so. */
async function takesTheRest(page: Page, address: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(address);
  await other.locator('.gap-row').first().getByRole('button', { name: 'Take back' }).click();
  await other.getByText(/^You took back lines of this file before \(cp_\d+, /).waitFor();
  await other.getByRole('button', { name: 'Bring back the earlier lines' }).click();
  await other.getByRole('dialog').locator('.code-row.removed', { hasText: 'LINE THREE' }).waitFor();
  await other.close();
}

async function confirmTakeBack(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Take back lines of notes.txt' });
  await dialog.getByText('1 path changes').waitFor();
  await dialog.getByRole('button', { name: 'Take back', exact: true }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).last().waitFor();
  await dialog.waitFor({ state: 'detached' });
}

it('does nothing if the files changed since the preview', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.checkpoint();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED });
  const { page } = await openStudio(p);
  const turn = page.locator('.turn-row', { hasText: 'Write two numbers in words' });
  await turn.hover();
  await turn.getByRole('button', { name: 'Take back' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 path changes').waitFor();
  const mine = `${CHANGED}mine\n`;
  p.write('notes.txt', mine);
  await dialog.getByRole('button', { name: 'Take back', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  expect(p.read('notes.txt')).toBe(mine);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText(/merged with later changes/).waitFor();
  await dialog.getByRole('button', { name: 'Take back', exact: true }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  expect(p.read('notes.txt')).toBe(`${TEXT}mine\n`);
});

it('lets one of two pages act, and tells the other one', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.checkpoint();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED });
  const { page, base } = await openStudio(p);
  const other = await page.context().newPage();
  await other.goto(`${base}/timeline`);
  const takeBack = { name: 'Take back', exact: true };
  for (const one of [page, other]) {
    const turn = one.locator('.turn-row', { hasText: 'Write two numbers in words' });
    await turn.hover();
    await turn.getByRole('button', takeBack).click();
    await one.getByRole('dialog').getByText('1 path changes').waitFor();
  }
  await page.getByRole('dialog').getByRole('button', takeBack).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  expect(p.read('notes.txt')).toBe(TEXT);
  const newest = p.ok('list', '--all', '--limit', '1').stdout;
  await other.getByRole('dialog').getByRole('button', takeBack).click();
  await other.getByRole('dialog').getByRole('alert').waitFor();
  expect(p.read('notes.txt')).toBe(TEXT);
  expect(p.ok('list', '--all', '--limit', '1').stdout.slice(0, 5)).toBe(newest.slice(0, 5));
  // Behind the dialog, the other page shows what the first one did.
  await other.locator('.turn-row .tag.taken-back').waitFor();
});

it('filters the timeline by its address, and hides changes of white space', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.write('code.ts', 'one\n');
  p.checkpoint();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED });
  hookedTurn(p, 'Format the code', { 'code.ts': '  one\n' });
  const { page, base, errors } = await openStudio(p);
  const turns = page.locator('.turn-row .words');
  await page.keyboard.press('f');
  await page.keyboard.type('code.ts');
  await page.waitForURL(/file=code\.ts/);
  await page.locator('.turn-row', { hasText: 'Write two' }).waitFor({ state: 'detached' });
  await page.locator('.turn-row', { hasText: 'Format the code' }).waitFor();
  await page.goto(`${base}/timeline?effect=back`);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await turns.nth(1).waitFor();
  // One session, one lane with a dot at each of its turns.
  await page.locator('.lane.own').nth(1).waitFor();
  await page.goto(`${base}/changes?from=cp_1&to=last`);
  await page.locator('.code-row.removed', { hasText: 'one' }).first().waitFor();
  await page.keyboard.press('w');
  await page.getByText('Only white space changed.').waitFor();
  await page.getByText('line three', { exact: true }).waitFor();
  expect(errors).toEqual([]);
});

it('reviews a plan by keyboard: a part is rejected, the rest approved, applied and rolled back', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.write('kept.txt', 'kept\n');
  p.checkpoint();
  propose(p, 'Numbers in words', [
    { old_string: 'line 3\n', new_string: 'line three\n' },
    { old_string: 'line 35\n', new_string: 'line thirty-five\n' },
  ]);
  const { page, base, errors } = await openStudio(p);
  await page.goto(`${base}/plans`);
  await page.locator('.plan-row').click();
  await page.getByText('line three', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.code-pair', { hasText: 'line 3' }).filter({ hasText: 'line three' }).waitFor();
  await page.waitForURL(/sides=two/);
  await page.keyboard.press('s');
  await page.locator('.code-pair').first().waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  await page.keyboard.press('r');
  await page.getByRole('button', { name: 'Reject', pressed: true }).first().waitFor();
  expect(p.read('notes.txt')).toBe(TEXT);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply the plan' });
  await dialog.getByText('1 path changes').waitFor();
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText('applied', { exact: true }).waitFor();
  expect(p.read('notes.txt')).toBe(FIRST_BACK);
  await page.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByText('rolled back', { exact: true }).waitFor();
  expect(p.read('notes.txt')).toBe(TEXT);
  expect(errors).toEqual([]);
});

it('shows hostile names and contents as text', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  const html = '<img src=x onerror=alert(1)>';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(2)"><script>alert(3)</script></svg>\n';
  hookedTurn(p, `${html}<b>bold</b> \u202egnp.exe \u001b[31mred`, {
    [`${html}.txt`]: `${html}\n</code><script>alert(4)</script>\n\u202e\u001b[2J\u0007\n`,
    'picture.svg': svg,
    'invoice\u202egpj.txt': 'reversed\n',
    'page.html': '<iframe src="javascript:alert(5)"></iframe>\n',
  });
  const { page, base, errors } = await openStudio(p);
  const words = page.locator('.turn-row .words').first();
  await words.waitFor();
  expect(await words.textContent()).toBe(`${html}<b>bold</b> \\u{202e}gnp.exe \\x1b[31mred`);
  for (const [view, sign] of [
    ['timeline', html],
    ['now', 'picture.svg'],
    ['changes?from=cp_1&to=last', 'picture.svg'],
  ] as const) {
    await page.goto(`${base}/${view}`);
    await page.getByText(sign).filter({ visible: true }).first().waitFor();
    expect(await page.locator('img, iframe, script:not([src]), b').count()).toBe(0);
  }
  const text = await page.locator('.diff').innerText();
  expect(text).toContain(html);
  expect(text).toContain('\\u{202e}\\x1b[2J\\x07');
  expect(await page.getByText('invoice\\u{202e}gpj.txt').count()).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

it('shows an image before and after', async () => {
  const p = project();
  const [before, after] = [png(0), png(255)];
  fs.writeFileSync(p.at('logo.png'), before);
  p.checkpoint();
  fs.writeFileSync(p.at('logo.png'), after);
  fs.writeFileSync(p.at('new.png'), after);
  p.checkpoint();
  const { page, base, errors } = await openStudio(p);
  await page.goto(`${base}/changes?from=cp_1&to=last`);
  for (const [label, level] of [
    ['Before', 0],
    ['After', 255],
  ] as const) {
    await page
      .getByRole('img', { name: `${label} the change` })
      .first()
      .waitFor();
    expect(await page.evaluate(levelOf(label))).toBe(level);
  }
  // A new file has no image before.
  await page.getByRole('figure', { name: 'Before', exact: true }).getByText('No image').waitFor();
  // What is in no checkpoint yet comes from the folder.
  fs.writeFileSync(p.at('logo.png'), png(100));
  await page.goto(`${base}/changes`);
  await page.getByRole('img', { name: 'After the change' }).waitFor();
  expect(await page.evaluate(levelOf('After'))).toBe(100);
  // What a restore would replace comes from the folder, too.
  await page.goto(`${base}/restore?to=cp_1&mode=exact`);
  await page.getByRole('img', { name: 'After the change' }).first().waitFor();
  await page.getByRole('img', { name: 'Before the change' }).first().waitFor();
  expect(await page.evaluate(levelOf('Before'))).toBe(100);
  // In a plan: the file as it would be, although the folder has another one.
  fs.writeFileSync(path.join(p.base, 'proposed.png'), png(200));
  p.ok('try', '--plan', '--', 'cp', path.join(p.base, 'proposed.png'), 'logo.png');
  await page.goto(`${base}/plans`);
  await page.locator('.plan-row').click();
  for (const [label, level] of [
    ['Before', 100],
    ['After', 200],
  ] as const) {
    await page.getByRole('img', { name: `${label} the change` }).waitFor();
    expect(await page.evaluate(levelOf(label))).toBe(level);
  }
  expect(errors).toEqual([]);
});

it('opens the hidden lines of a restore from the folder, and shows where the folder is', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  p.checkpoint();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED });
  const { page, base, errors } = await openStudio(p);
  // Only what the folder has now: the lines are not those of a checkpoint.
  p.write('notes.txt', CHANGED.replace('line 20\n', 'line twenty\n'));
  await page.goto(`${base}/restore?to=cp_1&mode=keep-outside`);
  const gap = page.locator('.gap-row', { hasText: /lines? hidden/ }).filter({ hasText: 'Show all' });
  await gap.last().getByRole('button', { name: 'Show all' }).click();
  await page.locator('.code-row.same', { hasText: 'line twenty' }).waitFor();
  // After a restore, the turn that ended so is not the only row with these files.
  p.ok('restore', 'cp_1', '--exact', '--yes');
  await page.goto(`${base}/timeline`);
  await page.getByText('here', { exact: true }).waitFor();
  await page.locator('.checkpoint-row', { hasText: 'Restored cp_1' }).getByText('same files').waitFor();
  expect(await page.getByText('here', { exact: true }).count()).toBe(1);
  // Without anything chosen, and nothing new in the folder, the changes lead on.
  await page.goto(`${base}/changes`);
  await page.getByRole('region', { name: 'Newest changes' }).getByText('Write two numbers in words').click();
  await page.getByText('line three', { exact: true }).waitFor();
  expect(errors).toEqual([]);
});

it('opens every view by its address, and by keys from the others', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  const { page, base } = await openStudio(p);
  for (const [key, title] of VIEWS) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search for a command' }).fill('timeline');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  // Another tab of the same browser is let in by this one.
  const other = await page.context().newPage();
  await other.goto(`${base}/overview`);
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

/** Reads the pixel of the first image in the page. */
function levelOf(label: string): string {
  return `(async () => {
    const image = document.querySelector('.images img[alt="${label} the change"]');
    await image.decode();
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, 1, 1).data[0];
  })()`;
}

/** An image of one grey pixel. */
function png(level: number): Buffer {
  const part = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(zlib.crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    part('IHDR', Buffer.from('00000001000000010800000000', 'hex')),
    part('IDAT', zlib.deflateSync(Buffer.from([0, level]))),
    part('IEND', Buffer.alloc(0)),
  ]);
}

function propose(p: Project, intent: string, edits: readonly object[]): void {
  fs.writeFileSync(path.join(p.base, 'plan.json'), JSON.stringify({ files: [{ file_path: 'notes.txt', edits }] }));
  p.ok('plan', 'new', '../plan.json', '-m', intent);
}

const VIEWS: readonly (readonly [string, RegExp])[] = [
  ['n', /^Now$/],
  ['c', /^Since cp_1/],
  ['y', /^Replay$/],
  ['p', /^Plans$/],
  ['f', /^Forks$/],
  ['r', /^Restore$/],
  ['o', /^Overview$/],
  ['t', /^Timeline$/],
];
