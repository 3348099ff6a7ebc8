#!/usr/bin/env node
// @ts-check
/**
 * Takes pictures of the views of Studio: the real server and page, on a project that is always the same, in both themes.
 * Usage: node scripts/studio-screenshots.mjs FOLDER [VIEW…]   after `npm run build`; needs chromium
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDemo } from './screenshots/demo.mjs';
import { makeStudioDemo } from './screenshots/studio-demo.mjs';
import { startStudio } from './screenshots/studio-server.mjs';
import { VIEWS } from './screenshots/studio-views.mjs';

const [out, ...names] = process.argv.slice(2);
if (out === undefined) throw new Error('Name the folder for the pictures.');
mkdirSync(out, { recursive: true });

const base = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-pictures-')));
try {
  const [dir, home, store] = ['shop-api', 'home', 'store'].map((name) => join(base, name));
  if (dir === undefined || home === undefined || store === undefined) throw new Error('unreachable');
  for (const folder of [dir, home, store]) mkdirSync(folder, { mode: 0o700 });
  await makeDemo({ dir, home: store, now: Date.now() });
  const { chromium } = await import('playwright-core');
  const studio = await startStudio({ dir, home, store });
  // Before a call runs in this process, so that the servers belong to a person and not to its agent.
  const addresses = { light: await studio.address(), dark: await studio.address() };
  const endCall = await makeStudioDemo({ dir, home: store });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') console.error(`${theme}: ${message.text()}`);
      });
      page.on('pageerror', (error) => console.error(`${theme}: ${error.stack}`));
      await page.goto(addresses[theme]);
      await page.waitForURL(/\/w\//);
      const { origin, pathname } = new URL(page.url());
      const workspace = pathname.split('/')[2] ?? '';
      for (const [name, show] of Object.entries(VIEWS)) {
        if (names.length > 0 && !names.includes(name)) continue;
        await page.setViewportSize({ width: 1280, height: 800 });
        await show(page, `${origin}/w/${workspace}`);
        await page.screenshot({ path: join(out, `${name}-${theme}.png`) });
      }
      await context.close();
    }
  } finally {
    await browser.close();
    await studio.stop();
    await endCall();
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
