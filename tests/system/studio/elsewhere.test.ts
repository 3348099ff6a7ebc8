import fs from 'node:fs';
import path from 'node:path';
import { bytesBelow, git, type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { openStudio } from './browser.ts';
import { hookedTurn } from './hooked-turn.ts';

/** What was done elsewhere comes to the page of Studio: forks are compared and merged, a bundle is reviewed. By keyboard. */

const TEXT = 'one\ntwo\nthree\n';

/** Creates a fork in which files are written. */
function forkWith(p: Project, name: string, files: Readonly<Record<string, string>>): void {
  p.ok('fork', 'create', name);
  const folder = p.ok('fork', 'open', name).stdout.trim();
  for (const [file, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, file), content);
}

it('compares three forks, merges one of them, undoes that, and brings a dropped one back', async () => {
  const p = project();
  p.write('notes.txt', TEXT);
  const hold = path.join(p.base, 'hold');
  const check = `cat errors; while [ -e '${hold}' ]; do sleep 0.05; done; test ! -s errors`;
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', '-c', check], kind: 'lint' } } }));
  p.write('errors', '');
  p.checkpoint();
  p.ok('trust', '--yes');
  forkWith(p, 'good', { 'notes.txt': TEXT.replace('two', 'zwei'), 'new.txt': 'new\n' });
  forkWith(p, 'broken', { errors: 'a.c:3: error: broken\n' });
  forkWith(p, 'same-line', { 'notes.txt': TEXT.replace('two', 'deux') });
  p.ok('fork', 'run', 'good', '--', 'sh', '-c', 'echo "it \u001b[31mran"');
  const { page, base, errors } = await openStudio(p);
  const column = (fact: string, at: number) => page.getByRole('row', { name: fact }).getByRole('cell').nth(at);

  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('columnheader', { name: /^same-line/ }).waitFor();
  await column('If another one is merged first', 2).getByText('conflicts in 1 file').waitFor();
  await page.getByRole('row', { name: 'notes.txt' }).getByRole('link').nth(1).waitFor();

  // The second fork, from its column to its page.
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'broken' }).waitFor();
  fs.writeFileSync(hold, '');
  await page.keyboard.press('v');
  await page.locator('.printed pre', { hasText: 'a.c:3: error: broken' }).waitFor();
  fs.rmSync(hold);
  await page.getByText('broken: new failures or no answer in own.').waitFor();
  await page.locator('.view-head').getByText('new failures (1)').waitFor();
  // What is not merged is not dropped here.
  await page.keyboard.press('x');
  await page.getByRole('dialog').getByText('errors', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Drop', exact: true }).last().press('Enter');
  await page.getByRole('alert').getByText('Fork broken has 1 files that are not merged.').waitFor();
  await page.keyboard.press('Escape');
  await mergeDespiteChecks();

  // The files of two forks, and of a fork and the workspace.
  await page.goto(`${base}/forks`);
  await page.getByRole('link', { name: 'Compare the files of same-line and good' }).press('Enter');
  await page.locator('.code-row.removed', { hasText: 'deux' }).waitFor();
  await page.locator('.code-row.added', { hasText: 'zwei' }).waitFor();
  await page.locator('.file-head', { hasText: 'new.txt' }).first().waitFor();
  await page.getByLabel('Compare with').selectOption('the workspace as it is now');
  await page.locator('.code-row.added', { hasText: 'two' }).waitFor();
  expect(await page.locator('.file-head', { hasText: 'new.txt' }).count()).toBe(0);
  expect(new URL(page.url()).searchParams.get('with')).toBe('.');

  await page.goto(`${base}/forks/good?file=notes.txt`);
  await page.getByText('zwei', { exact: true }).waitFor();
  await page.getByRole('button', { name: /it .*ran/ }).press('Enter');
  await page.locator('.fork-runs pre', { hasText: 'it \\x1b[31mran' }).waitFor();
  expect(p.read('notes.txt')).toBe(TEXT);
  await page.keyboard.press('m');
  await page.getByRole('dialog').getByText('2 paths change').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).press('Enter');
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await undo.waitFor();
  expect([p.read('notes.txt'), p.read('new.txt')]).toEqual([TEXT.replace('two', 'zwei'), 'new\n']);
  await page.getByText('Nothing to merge').waitFor();
  await undo.press('Enter');
  await page.getByText('Undone.').waitFor();
  expect([p.read('notes.txt'), p.has('new.txt')]).toEqual([TEXT, false]);
  await page.locator('.view-head').getByText('not merged').waitFor();
  await page.keyboard.press('m');
  await page.getByRole('dialog').getByText('2 paths change').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).press('Enter');
  await page.getByText('Nothing to merge').waitFor();

  // Now counts the files of the undo, and lists them.
  await page.goto(`${base}/now`);
  const undone = page.locator('.feed > li', { hasText: 'undo of 2 files' });
  await undone.getByRole('button', { name: 'Show the 2 files' }).press('Enter');
  for (const file of ['new.txt', 'notes.txt']) await undone.getByRole('link', { name: file, exact: true }).waitFor();

  // Now the other fork conflicts with the workspace.
  await page.goto(`${base}/forks`);
  await column('Conflicts with the workspace', 2).getByText('1 file').waitFor();
  await page.getByRole('button', { name: 'Drop good' }).press('Enter');
  await page.getByRole('dialog').getByText('Everything in it is merged or unchanged.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Drop', exact: true }).press('Enter');
  await page.getByRole('columnheader', { name: /^good/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Bring back', exact: true }).press('Enter');
  await page.getByRole('columnheader', { name: /^good/ }).waitFor();

  // A fork of an earlier state, by its address.
  await page.goto(`${base}/forks?from=cp_1`);
  await page.getByRole('dialog', { name: 'Fork from cp_1' }).waitFor();
  await page.keyboard.type('earlier');
  await page.keyboard.press('Enter');
  await page.getByRole('columnheader', { name: /^earlier/ }).waitFor();
  expect(fs.readFileSync(path.join(p.ok('fork', 'open', 'earlier').stdout.trim(), 'notes.txt'), 'utf8')).toBe(TEXT);
  expect(errors).toEqual([]);

  /** What the checks print is shown while they run. After new failures, only a reason merges it, and that is recorded. */
  async function mergeDespiteChecks(): Promise<void> {
    fs.writeFileSync(hold, '');
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Merge broken' });
    await dialog.getByRole('button', { name: 'Run the checks' }).press('Enter');
    await dialog.locator('.printed pre', { hasText: 'a.c:3: error: broken' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Merge', exact: true }).isDisabled()).toBe(true);
    // Closing the dialog ends the checks, with their copy.
    expect(p.ok('copies').stdout).toContain('check');
    await page.keyboard.press('Escape');
    await expect.poll(() => p.ok('copies').stdout, { timeout: 20_000 }).not.toContain('check');
    await page.keyboard.press('m');
    await dialog.getByRole('button', { name: 'Run the checks' }).press('Enter');
    await dialog.locator('.printed pre', { hasText: 'a.c:3: error: broken' }).waitFor();
    fs.rmSync(hold);
    const results = dialog.getByRole('region', { name: 'Checks of the merged files' });
    await results.getByText('1 new failure', { exact: true }).waitFor();
    const merge = dialog.getByRole('button', { name: 'Merge nevertheless' });
    expect(await merge.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Why it is merged' }).fill('fixed tomorrow');
    await page.keyboard.press('Enter');
    expect(p.read('errors')).toBe('');
    await merge.click();
    await page.getByText('Merged fork broken despite own: fixed tomorrow').waitFor();
    expect(p.read('errors')).not.toBe('');
    await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
    await page.getByText('Undone.').waitFor();
    expect(p.read('errors')).toBe('');
  }
});

const HOSTILE = '<img src=x onerror=alert(1)>\u202egpj';

/** Another machine: a workspace of two repositories, with two turns. */
function bundleFromElsewhere(): string {
  const other = project();
  for (const root of ['api', 'web']) {
    other.write(`${root}/notes.txt`, `${root}\n`);
    git(other.at(root), 'init', '-q', '-b', 'main');
  }
  other.ok('checkpoint', '--here');
  hookedTurn(other, 'Write a word into both', { 'api/notes.txt': 'api word\n', 'web/notes.txt': 'web word\n' });
  hookedTurn(other, HOSTILE, { [`api/${HOSTILE}.txt`]: '<script>alert(2)</script>\n' });
  const file = path.join(other.base, 'team.bundle');
  other.ok('bundle', 'create', file, '--messages');
  return file;
}

it('reviews a bundle of two repositories, which touches nothing, and replays it', async () => {
  const file = bundleFromElsewhere();
  const p = project();
  p.write('mine.txt', 'mine\n');
  p.checkpoint();
  const { page, base, errors, restart } = await openStudio(p, {}, ['--bundle', file]);
  await page.getByText('The bundle team.bundle, opened for review').waitFor();
  expect(base).toMatch(/\/w\/bundle-[0-9a-f]{24}$/);
  await page.getByRole('button', { name: 'Write a word into both' }).waitFor();
  expect(await page.getByRole('button', { name: 'Take back' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Restore' }).count()).toBe(0);
  for (const [view, why] of [
    ['now', 'A bundle has no present'],
    ['forks', 'A bundle has no forks'],
    ['changes', 'Choose a turn on the timeline'],
  ] as const) {
    await page.goto(`${base}/${view}`);
    await page.getByRole('heading', { name: why }).waitFor();
  }

  await page.keyboard.press('g');
  await page.keyboard.press('y');
  await page.getByText('api word', { exact: true }).waitFor();
  await page.getByText('web word', { exact: true }).waitFor();
  await page.getByRole('navigation', { name: 'Changed files' }).getByRole('button').last().press('Enter');
  await page.keyboard.press('ArrowRight');
  await page.getByText('<script>alert(2)</script>').waitFor();
  await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>\\u{202e}gpj', exact: true }).waitFor();
  const last = page.url();
  expect(new URL(last).searchParams.get('at')).toMatch(/^cp_/);
  await page.keyboard.press('Home');
  await page.getByText('api word', { exact: true }).waitFor();
  // It goes on by itself, and stops at the end.
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.keyboard.press('Space');
  await page.getByText('<script>alert(2)</script>').waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  expect(page.url()).toBe(last);
  expect(await page.locator('img, iframe, script:not([src])').count()).toBe(0);

  // A server that was killed opens the bundle again, under the same address.
  await restart();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(last);
  await page.getByText('<script>alert(2)</script>').waitFor();

  // The page cannot change it, and closes it.
  await page.getByRole('button', { name: 'Close the bundle' }).press('Enter');
  await page
    .getByText('Nothing')
    .or(page.getByRole('heading', { name: 'Timeline' }))
    .first()
    .waitFor();
  await page.waitForURL((url) => !url.pathname.includes('bundle-'));
  await expect.poll(() => bytesBelow(path.join(p.store, 'studio/bundles')), { timeout: 20_000 }).toBeLessThan(2_000);

  // Sent by the page. What is no bundle is refused with what is wrong with it.
  const chooser = page.getByLabel('Bundle to review');
  const broken = path.join(p.base, 'broken.bundle');
  fs.writeFileSync(broken, Buffer.concat([fs.readFileSync(file).subarray(0, -40), Buffer.alloc(40)]));
  await chooser.setInputFiles(broken);
  await page
    .getByRole('alert')
    .getByText(/^broken\.bundle: /)
    .waitFor();
  await page.evaluate(dropOf(file));
  await page.getByText('The bundle team.bundle, opened for review').waitFor();
  await page.getByRole('button', { name: 'Write a word into both' }).waitFor();
  expect(filesOf(p)).toEqual(['mine.txt']);
  expect(errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([]);
});

/** Drops a file on the page, as a person does who drags it there. */
function dropOf(file: string): string {
  return `(() => {
    const bytes = Uint8Array.from(atob('${fs.readFileSync(file).toString('base64')}'), (letter) => letter.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], '${path.basename(file)}'));
    for (const kind of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  })()`;
}

function filesOf(p: Project): readonly string[] {
  return fs.readdirSync(p.dir);
}
