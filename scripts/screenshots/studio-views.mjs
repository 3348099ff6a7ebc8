// @ts-check
/** What each picture of Studio shows. */

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {(page: Page, base: string) => Promise<void>} Show */

/** @param {Page} page */
const settled = async (page) => {
  await page.locator('.view-head').first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(800);
};

/** @type {Readonly<Record<string, Show>>} */
export const VIEWS = {
  timeline: async (page, base) => {
    await page.goto(`${base}/timeline`);
    await settled(page);
    await page.locator('.turn-row .words').nth(1).click();
    await settled(page);
  },
  filters: async (page, base) => {
    await page.goto(`${base}/timeline?agent=claude&effect=in`);
    await settled(page);
  },
  kinds: async (page, base) => {
    await page.setViewportSize({ width: 1280, height: 1100 });
    await page.goto(`${base}/timeline`);
    await settled(page);
    const turn = page.locator('.turn-row', { hasText: 'Recolour the logo' });
    await turn.hover();
    await turn.getByRole('link', { name: 'Changes' }).click();
    await page.locator('.images img').first().waitFor();
    await settled(page);
  },
  'no-space': async (page, base) => {
    await page.goto(`${base}/changes?from=cp_1&to=last&space=hidden`);
    await settled(page);
  },
  changes: async (page, base) => {
    await page.goto(`${base}/changes?from=cp_1&to=cp_18`);
    await settled(page);
    await page.locator('.file-tree button', { hasText: 'login.ts' }).click();
    await settled(page);
  },
  sides: async (page, base) => {
    await page.goto(`${base}/changes?from=cp_1&to=cp_21&sides=two`);
    await page.setViewportSize({ width: 1920, height: 1000 });
    await settled(page);
    await page.locator('.file-tree button', { hasText: 'login.ts' }).click();
    await settled(page);
  },
  'take-back': async (page, base) => {
    await page.goto(`${base}/changes?change=cp_12.1`);
    await settled(page);
    await page.locator('button', { hasText: 'Take back' }).first().click();
    await settled(page);
  },
  now: async (page, base) => {
    await page.goto(`${base}/now`);
    await settled(page);
  },
  plans: async (page, base) => {
    await page.goto(`${base}/plans`);
    await settled(page);
  },
  plan: async (page, base) => {
    await page.goto(`${base}/plans`);
    await settled(page);
    await page.locator('.plan-row').first().click();
    await settled(page);
  },
  restore: async (page, base) => {
    await page.goto(`${base}/restore?to=cp_2&mode=exact`);
    await settled(page);
  },
  replay: async (page, base) => {
    await page.goto(`${base}/replay?at=cp_12`);
    await settled(page);
  },
  forks: async (page, base) => {
    await page.goto(`${base}/forks`);
    await page.locator('.forks .files a').first().waitFor();
    await settled(page);
  },
  fork: async (page, base) => {
    await page.goto(`${base}/forks/retry-queue`);
    await settled(page);
  },
  overview: async (page, base) => {
    await page.goto(`${base}/overview`);
    await settled(page);
  },
  keys: async (page, base) => {
    await page.goto(`${base}/timeline`);
    await settled(page);
    await page.keyboard.press('Control+k');
    await settled(page);
  },
  legend: async (page, base) => {
    await page.goto(`${base}/timeline`);
    await settled(page);
    await page.keyboard.press('?');
    await settled(page);
  },
  'narrow-changes': async (page, base) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await page.goto(`${base}/changes?from=cp_1&to=cp_21`);
    await settled(page);
  },
  'narrow-now': async (page, base) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await page.goto(`${base}/now`);
    await settled(page);
  },
  'narrow-plan': async (page, base) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await page.goto(`${base}/plans`);
    await settled(page);
    await page.locator('.plan-row').first().click();
    await settled(page);
    await page.keyboard.press('n');
    await settled(page);
  },
  narrow: async (page, base) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await page.goto(`${base}/timeline`);
    await settled(page);
  },
};

/** Of any project. @type {Readonly<Record<string, Show>>} */
export const HISTORY_VIEWS = {
  timeline: async (page, base) => {
    await page.goto(`${base}/timeline`);
    await settled(page);
    await page.locator('.turn-row .words').nth(2).click();
    await settled(page);
  },
  'timeline-wide': async (page, base) => {
    await page.setViewportSize({ width: 1920, height: 1000 });
    await page.goto(`${base}/timeline?grade=likely`);
    await settled(page);
  },
  changes: async (page, base) => {
    await toChanges(page, base, 0);
  },
  sides: async (page, base) => {
    await page.setViewportSize({ width: 1920, height: 1000 });
    await toChanges(page, base, 1);
    await page.keyboard.press('s');
    await settled(page);
  },
  range: async (page, base) => {
    await page.goto(`${base}/changes?from=cp_1&to=last`);
    await settled(page);
  },
  narrow: async (page, base) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await page.goto(`${base}/timeline`);
    await settled(page);
  },
  'narrow-changes': async (page, base) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await toChanges(page, base, 0);
  },
  now: VIEWS['now'] ?? settled,
  overview: VIEWS['overview'] ?? settled,
};

/** @param {Page} page @param {string} base @param {number} turn the newest is 0 */
async function toChanges(page, base, turn) {
  await page.goto(`${base}/timeline`);
  await settled(page);
  const row = page.locator('.turn-row').nth(turn);
  await row.hover();
  await row.getByRole('link', { name: 'Changes' }).click();
  await page.locator('.code-row').first().waitFor();
  await settled(page);
}

/** The picture in the documents: who wrote what in one diff. @type {Show} */
export const DOCUMENTED = async (page, base) => {
  await page.goto(`${base}/changes?from=cp_1&to=cp_18`);
  await settled(page);
  await page.locator('.file-tree button', { hasText: 'total.ts' }).click();
  await page.mouse.move(0, 0);
  await page.locator('.author-cell .mark').first().waitFor();
  await settled(page);
};
