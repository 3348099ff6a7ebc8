// @ts-check
/**
 * Studio in a real browser, on a long timeline whose newest turn changes many files: how long the first view takes, what
 * is loaded for it, which tasks of the main thread are long while the timeline and the diff scroll, and what the server
 * needs. With a clone, also the diff over its newest commits.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeLongTimeline } from './long-timeline.mjs';
import { showMs } from './measure.mjs';
import { git } from './repository.mjs';
import { anHour } from './studio-hour.mjs';
import { CHROMIUM, memoryOf, startStudio } from './studio-server.mjs';

const FILES = 300;
const LINES = 67;
const COMMITS = 200;
const STEP_PX = 400;
const MOST_FRAMES = 1_500;
const LONG_MS = 50;

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./studio-server.mjs').Place} Place */
/** @typedef {{ readonly frames: number, readonly tasks: readonly number[], readonly longest: number }} Scrolled the long tasks, in milliseconds */

/**
 * @param {{ base: string, runs: number, checkpoints: number, command: string, clone: string | undefined }} options
 * @returns {Promise<string>} a table in Markdown
 */
export async function measureStudio({ base, runs, checkpoints, command, clone }) {
  const made = placeIn(base, 'studio', checkpoints);
  await makeLongTimeline({ ...made, checkpoints });
  const retention = { maxCheckpoints: 2 * checkpoints };
  await inSession(made, retention, async (session) => {
    const write = (/** @type {number} */ first, /** @type {number} */ step) => {
      for (let at = first; at < FILES; at++) writeFileSync(join(made.dir, 'src', `part-${at}.ts`), source(at, step));
    };
    await session.prompt('Write the first files');
    await session.call({ tool: 'Bash', kind: 'shell' }, () => write(FILES / 2, 0));
    await session.prompt('Change many files');
    await session.call({ tool: 'Bash', kind: 'shell' }, () => write(0, 1));
  });
  const first = await measured(made, { command, runs, changes: 'to=last' });
  const rows = [
    `| first view with ${checkpoints.toLocaleString('en')} checkpoints | ${showMs(first.view)} ms |`,
    `| first load, gzipped | ${Math.round(first.bytes / 1024)} KiB |`,
    `| the timeline scrolls | ${scrolled(first.timeline)} |`,
    `| a diff of ${FILES} files, ${(FILES * LINES).toLocaleString('en')} lines scrolls | ${scrolled(first.diff)} |`,
    `| the same side by side | ${scrolled(first.sides)} |`,
    `| memory of the server afterwards | ${first.memory} |`,
    ...(await anHour({ base, command })),
  ];
  if (clone !== undefined) {
    const place = placeIn(base, 'studio-clone', checkpoints);
    const commits = await replay(place, retention, clone);
    const real = await measured(place, { command, runs: 1, changes: 'from=cp_1&to=last' });
    rows.push(`| the diff over ${commits} commits of a clone scrolls | ${scrolled(real.diff)} |`);
  }
  return ['| | |', '|---|---|', ...rows, ''].join('\n');
}

/** @param {string} base @param {string} name @param {number} checkpoints @returns {Place} */
function placeIn(base, name, checkpoints) {
  const place = { dir: join(base, name), home: join(base, `${name}-home`) };
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.home, 'config.json'), JSON.stringify({ max_checkpoints: 2 * checkpoints }));
  return place;
}

/**
 * @param {Place} place
 * @param {{ readonly maxCheckpoints: number }} retention without it, the long timeline would be cleaned up
 * @param {(session: import('@savepoint/core').Session) => Promise<unknown>} work
 */
async function inSession({ dir, home }, retention, work) {
  const core = await import('@savepoint/core');
  const { nodePorts } = await import('@savepoint/core/node');
  const savepoint = core.open({
    dir: /** @type {import('@savepoint/core').DiskPath} */ (dir),
    ports: nodePorts(),
    retention,
    places: { home: /** @type {import('@savepoint/core').DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
  await work(savepoint.session({ agent: 'codex', id: 'many' }));
  await savepoint.idle();
  savepoint.close();
}

/**
 * Each commit of a clone is a turn.
 * @param {Place} place @param {{ readonly maxCheckpoints: number }} retention @param {string} clone
 * @returns {Promise<number>} how many
 */
async function replay(place, retention, clone) {
  git(join(place.home, '..'), 'clone', '--quiet', '--no-hardlinks', clone, place.dir);
  const log = String(git(place.dir, 'log', '--first-parent', '--format=%H %s', `-${COMMITS}`));
  const [oldest = '', ...commits] = log.trim().split('\n').toReversed();
  git(place.dir, 'checkout', '--quiet', oldest.slice(0, 40));
  await inSession(place, retention, async (session) => {
    for (const commit of commits) {
      await session.prompt(commit.slice(41));
      await session.call({ tool: 'Bash', kind: 'shell' }, () => {
        git(place.dir, 'checkout', '--quiet', commit.slice(0, 40));
      });
    }
  });
  return commits.length;
}

/** @param {Place} place @param {{ command: string, runs: number, changes: string }} options */
async function measured({ dir, home }, { command, runs, changes }) {
  const { chromium } = await import('playwright-core');
  const { address, child, stop } = await startStudio({ dir, home }, command);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    /** @type {Promise<number>[]} */
    const loaded = [];
    page.on('response', (response) => {
      if (!new URL(response.url()).pathname.startsWith('/api/'))
        loaded.push(
          response.body().then(
            (body) => gzipSync(body).length,
            () => 0,
          ),
        );
    });
    await page.goto(address);
    await page.locator('.turn-row').first().waitFor();
    const bytes = (await Promise.all(loaded)).reduce((sum, one) => sum + one, 0);
    /** @type {number[]} */
    const view = [];
    for (let run = 0; run < runs; run++) {
      const began = performance.now();
      await page.reload({ waitUntil: 'commit' });
      await page.locator('.turn-row').first().waitFor();
      view.push(performance.now() - began);
    }
    const workspace = page.url().replace(/\/timeline.*$/, '');
    const timeline = await scroll(page, '.timeline');
    await page.goto(`${workspace}/changes?${changes}`);
    const diff = await scroll(page, '.diff');
    await page.goto(`${workspace}/changes?${changes}&sides=two`);
    const sides = await scroll(page, '.diff');
    return { view, bytes, timeline, diff, sides, memory: `${memoryOf(child.pid)} MiB` };
  } finally {
    await browser.close();
    await stop();
  }
}

/**
 * Scrolls a list to its end, and notes the long tasks of the main thread meanwhile. Their processor time counts, so that
 * other work of the machine does not.
 * @param {Page} page @param {string} list @returns {Promise<Scrolled>}
 */
async function scroll(page, list) {
  await page.locator(`${list} [data-index="5"]`).waitFor();
  // What is still loading does not count.
  await page.waitForTimeout(1_500);
  const devtools = await page.context().newCDPSession(page);
  /** @type {Array<Readonly<Record<string, any>>>} */
  const events = [];
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const traceConfig = { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] };
  await devtools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  const run = `(async () => {
    const list = document.querySelector('${list}');
    let frames = 0;
    for (; frames < ${MOST_FRAMES} && list.scrollTop + list.clientHeight < list.scrollHeight - 1; frames += 1) {
      list.scrollTop += ${STEP_PX};
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    return frames;
  })()`;
  const frames = /** @type {number} */ (await page.evaluate(run));
  const complete = new Promise((resolve) => {
    devtools.once('Tracing.tracingComplete', resolve);
  });
  await devtools.send('Tracing.end');
  await complete;
  await devtools.detach();
  const threadOf = (/** @type {Readonly<Record<string, any>>} */ { pid, tid }) => `${pid}:${tid}`;
  const main = new Set(events.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf));
  const tasks = events
    .filter((event) => String(event['name']).endsWith('RunTask') && main.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1_000);
  return { frames, tasks: tasks.filter((took) => took > LONG_MS), longest: Math.max(0, ...tasks) };
}

/** @param {Scrolled} found */
function scrolled({ frames, tasks, longest }) {
  return `${frames} steps of ${STEP_PX} px, ${tasks.length} tasks over ${LONG_MS} ms, the longest ${Math.round(longest)} ms`;
}

/** Every fifth line is another one in the next step. @param {number} at @param {number} step */
function source(at, step) {
  return Array.from({ length: LINES }, (_, line) => {
    const number = line % 5 === 0 ? at + line + step : at + line;
    if (line % 9 === 0) return `/** Step ${number} of part ${at}. */\n`;
    return `export const step${line} = (value: number): string => \`\${value * ${number}} of '${line}'\`;\n`;
  }).join('');
}
