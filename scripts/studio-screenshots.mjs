#!/usr/bin/env node
// @ts-check
/**
 * Takes pictures of Studio: the real server and page, on a project that is always the same.
 * Usage: npm run pictures -- [FOLDER [VIEW…]] [--history REPOSITORY]   needs chromium
 * With a folder: all views in both themes. Without: the picture in docs/images/, always with the same times.
 *   --history  the project is a clone of this repository, whose newest commits are turns of agents
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeDemo } from './screenshots/demo.mjs';
import { makeHistory } from './screenshots/history.mjs';
import { makeStudioDemo } from './screenshots/studio-demo.mjs';
import { startStudio } from './screenshots/studio-server.mjs';
import { DOCUMENTED, HISTORY_VIEWS, VIEWS } from './screenshots/studio-views.mjs';
import { TOP } from './steps.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { history: { type: 'string' } } });
const [out, ...names] = positionals;
const TAKEN = Date.UTC(2026, 4, 12, 14, 30);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-pictures-')));
const name = values.history === undefined ? 'shop-api' : basename(resolve(values.history));
const [dir, home, store] = [join(base, name), join(base, 'home'), join(base, 'store')];
const { chromium } = await import('playwright-core');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const studio = await startStudio({ dir, home, store });
let endCall = async () => {};
try {
  for (const folder of [home, store]) mkdirSync(folder, { mode: 0o700 });
  if (values.history === undefined) mkdirSync(dir);
  if (out === undefined) await documentedPicture();
  else await allPictures(out);
} finally {
  await browser.close();
  await studio.stop();
  await endCall();
  rmSync(base, { recursive: true, force: true });
}

async function documentedPicture() {
  await makeDemo({ dir, home: store, now: TAKEN });
  const size = { width: 1180, height: 560 };
  const address = await studio.address();
  const { page, workspace } = await opened(address, { viewport: size, timezoneId: 'UTC', locale: 'en-GB' }, TAKEN);
  await DOCUMENTED(page, workspace);
  const path = join(TOP, 'docs/images/studio.png');
  await page.screenshot({ path });
  console.log(path);
}

/** @param {string} folder */
async function allPictures(folder) {
  mkdirSync(folder, { recursive: true });
  const { history } = values;
  if (history === undefined) await makeDemo({ dir, home: store, now: Date.now() });
  else endCall = await makeHistory({ repository: history, dir, home: store });
  // Before a call runs in this process, so that the servers belong to a person and not to its agent.
  const addresses = { light: await studio.address(), dark: await studio.address() };
  if (history === undefined) endCall = await makeStudioDemo({ dir, home: store });
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const { page, workspace } = await opened(addresses[theme], { colorScheme: theme });
    for (const [view, show] of Object.entries(history === undefined ? VIEWS : HISTORY_VIEWS)) {
      if (names.length > 0 && !names.includes(view)) continue;
      await page.setViewportSize({ width: 1280, height: 800 });
      await show(page, workspace);
      await page.screenshot({ path: join(folder, `${view}-${theme}.png`) });
    }
  }
}

/** @param {string} address @param {import('playwright-core').BrowserContextOptions} options @param {number} [now] */
async function opened(address, options, now) {
  const page = await (await browser.newContext(options)).newPage();
  if (now !== undefined) await page.clock.setFixedTime(now);
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(message.text());
  });
  page.on('pageerror', (error) => console.error(error.stack));
  await page.goto(address);
  await page.waitForURL(/\/w\//);
  const { origin, pathname } = new URL(page.url());
  return { page, workspace: `${origin}/w/${pathname.split('/')[2]}` };
}
