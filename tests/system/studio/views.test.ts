import fs from 'node:fs';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousIn } from './axe.ts';
import { openStudio } from './browser.ts';
import { hookedTurn } from './hooked-turn.ts';

/** Every view of Studio for readers of all kinds: axe in both themes, and a walk through it by keyboard alone. */

interface View {
  /** Below the address of the workspace. */
  readonly address: string;
  /** Shown when the view is complete. */
  readonly sign: string;
  /** Keys of this view, which `?` must list. */
  readonly keys?: readonly string[];
  /** What is done before the view is looked at. */
  readonly before?: (page: Page) => Promise<void>;
}

/** A new view is one row here. */
const VIEWS: readonly View[] = [
  { address: 'timeline', sign: '.turn-row', keys: ['j', 'k', '/', 'f'] },
  { address: 'timeline?effect=in&agent=claude', sign: '.filter-bar .is-set' },
  { address: 'timeline', sign: '.calls', before: (page) => page.locator('.turn-row .words').first().click() },
  { address: 'now', sign: '.feed li' },
  { address: 'changes?from=cp_1&to=last', sign: '.author-cell .mark', keys: ['s', 'w', ']', '['] },
  { address: 'changes?from=cp_1&to=last&sides=two&space=hidden', sign: '.code-pair' },
  { address: 'changes', sign: '.code-row' },
  { address: 'changes?change=cp_3.1', sign: '.gap-row .taken-back' },
  { address: 'plans', sign: '.plan-row' },
  {
    address: 'plans',
    sign: '.code-row',
    keys: ['n', 'p', 'a', 'r', 'A', 'R', 's'],
    before: (page) => page.locator('.plan-row').first().click(),
  },
  {
    address: 'plans',
    sign: '.comment-form',
    before: async (page) => {
      await page.locator('.plan-row').first().click();
      await page.locator('.code-row').first().waitFor();
      for (const key of ['j', 'J', 'c']) await page.keyboard.press(key);
    },
  },
  { address: 'overview', sign: '.trend svg' },
  { address: 'restore?to=cp_1&mode=exact', sign: '.chosen-files input' },
  { address: 'conflicts', sign: '.message' },
  { address: 'replay?at=cp_2', sign: '.author-cell .mark', keys: ['←', '→', 'Space', 'Home', 'End', '+', '-', 's'] },
  { address: 'forks', sign: '.forks .files a', keys: ['j', 'k', 'f'] },
  { address: 'forks/one?with=two', sign: '.compared-with .hint' },
  { address: 'forks/one', sign: '.code-row', keys: ['v', 'm', 'x', 's'] },
];

/** The keys that work everywhere. */
const KEYS = ['Ctrl k', '?', 'g n', 'g t', 'g c', 'g y', 'g p', 'g f', 'g o'];

it('nothing serious stands in the way of any reader, in both themes and by keyboard alone', async () => {
  const p = world();
  const { page, base, errors } = await openStudio(p, { reducedMotion: 'reduce' });
  const found: string[] = [];
  for (const view of VIEWS) {
    await show(page, base, view);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await seriousIn(page, `${view.address}: ${colorScheme}`)));
    }
    found.push(...(await walk(page)).map((one) => `${view.address}: ${one}`));
    found.push(...(await missingKeys(page, view)).map((one) => `${view.address}: ? does not list ${one}`));
  }
  expect(found).toEqual([]);
  await page.goto(`${base}/timeline`);
  await throughDialogs(page);
  expect(errors).toEqual([]);
});

/** A dialog keeps the focus inside, and gives it back to what opened it. */
async function throughDialogs(page: Page): Promise<void> {
  const turn = page.locator('.turn-row').first();
  const opener = turn.getByRole('button', { name: 'Take back' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { level: 3 }).first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await seriousIn(page, colorScheme)).toEqual([]);
  }
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('Tab');
    // Between the last and the first, the focus is in the browser's own bar.
    expect(await page.evaluate("document.activeElement.closest('dialog, main, header, body').localName")).toMatch(
      /^(dialog|body)$/,
    );
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(FOCUSED)).toBe('Take back');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search for a command' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Search for a command' }).waitFor({ state: 'detached' });
  expect(await page.evaluate(FOCUSED)).toBe('Take back');
}

const FOCUSED = "document.activeElement.closest('.turn-row .acts button')?.textContent";

const NUMBERED = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const TEXT = `${NUMBERED.join('\n')}\n`;
const CHANGED = TEXT.replace('line 3\n', 'line three\n').replace('line 35\n', 'line thirty-five\n');
const CODE = `/** One and two. */
export const one = 1;
export function two(name: string): string {
  return \`\${name} \${/two/.test('two') ? 2 : null}\`;
}
`;

function world(): Project {
  const p = project();
  p.write('notes.txt', TEXT);
  p.write('code.ts', 'export const one = 1;\n');
  p.checkpoint();
  hookedTurn(p, 'Write two numbers in words', { 'notes.txt': CHANGED, 'code.ts': CODE });
  p.ok('rollback', '--hunk', 'cp_3.1:2', '--yes');
  p.write('mine.txt', 'not in a checkpoint\n');
  p.ok('comment', 'add', 'notes.txt:3', 'Say it in numbers');
  const edits = [
    { old_string: 'line 10\n', new_string: 'line 10\nline 10.5\n' },
    { old_string: 'line 40\n', new_string: 'line 40\nline 41\n' },
  ];
  fs.writeFileSync(path.join(p.base, 'plan.json'), JSON.stringify({ files: [{ file_path: 'notes.txt', edits }] }));
  p.ok('plan', 'new', '../plan.json', '-m', 'Two lines more');
  for (const name of ['one', 'two']) {
    p.ok('fork', 'create', name);
    fs.writeFileSync(path.join(p.ok('fork', 'open', name).stdout.trim(), 'notes.txt'), `${name}\n`);
  }
  return p;
}

async function show(page: Page, base: string, { address, sign, before }: View): Promise<void> {
  await page.goto(`${base}/${address}`);
  await before?.(page);
  await page.locator(sign).first().waitFor();
}

/** More stops than any view of this world has. */
const MOST_STOPS = 150;

/** Goes through a view with Tab alone, and says what a person who does so would miss. */
async function walk(page: Page): Promise<readonly string[]> {
  await page.evaluate(START_WALK);
  const problems: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const at = (await page.evaluate('walked()')) as { readonly isEnd: boolean; readonly problems: readonly string[] };
    problems.push(...at.problems);
    if (at.isEnd) return stop > VIEW_LINKS ? problems : [...problems, `only ${stop} stops`];
  }
  return [...problems, `no end after ${MOST_STOPS} stops`];
}

/** The links of the side bar: there must be more in a view. */
const VIEW_LINKS = 5;

/** Runs in the page. The focus begins before everything. */
const START_WALK = `(() => {
  document.activeElement.blur();
  getSelection().removeAllRanges();
  document.body.tabIndex = -1;
  document.body.focus();
  let first = null;
  let last = null;
  window.walked = () => {
    const one = document.activeElement;
    // After the last stop comes the browser itself, or the first one again.
    if (one === document.body || one === null || one === first) return { isEnd: true, problems: [] };
    first ??= one;
    const name = one.outerHTML.slice(0, 140);
    const { top, bottom, left, right, width, height } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    const problems = [];
    if (one.tabIndex > 0) problems.push('an order of its own: ' + name);
    if (last !== null && last.isConnected && !(last.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING))
      problems.push('focus goes back: ' + name);
    if (width < 1 || height < 1 || !one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      problems.push('focus on what is not seen: ' + name);
    else if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth)
      problems.push('focus out of sight: ' + name);
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 1) problems.push('focus is not marked: ' + name);
    last = one;
    return { isEnd: false, problems };
  };
})()`;

async function missingKeys(page: Page, { keys = [] }: View): Promise<readonly string[]> {
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.waitFor();
  const listed = await dialog.locator('dd .keys').allInnerTexts();
  const known = new Set(listed.map((one) => one.trim().replaceAll(/\s+/g, ' ')));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return [...KEYS, ...keys].filter((one) => !known.has(one));
}
