// @ts-check
/**
 * What the server of Studio needs in a busy hour: a call of an agent each second, with a page open that shows it. The calls
 * follow one another as fast as they can, so the hour takes a minute or a few.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHROMIUM, memoryOf, startStudio } from './studio-server.mjs';

const CALLS = 3_600;
/** A prompt begins after this many calls. */
const PROMPT_EVERY = 20;
const VIEWS = ['timeline', 'now', 'overview', 'changes'];

/**
 * @param {{ base: string, command: string, calls?: number }} options
 * @returns {Promise<readonly string[]>} rows of a table in Markdown
 */
export async function anHour({ base, command, calls = CALLS }) {
  const place = { dir: join(base, 'studio-hour'), home: join(base, 'studio-hour-home') };
  mkdirSync(join(place.dir, 'src'), { recursive: true });
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.home, 'config.json'), JSON.stringify({ max_checkpoints: 4 * CALLS }));
  const core = await import('@savepoint/core');
  const { nodePorts } = await import('@savepoint/core/node');
  const savepoint = core.open({
    dir: /** @type {import('@savepoint/core').DiskPath} */ (place.dir),
    ports: nodePorts(),
    retention: { maxCheckpoints: 4 * CALLS },
    places: {
      home: /** @type {import('@savepoint/core').DiskPath} */ (place.home),
      userHome: null,
      globalIgnore: null,
    },
  });
  const session = savepoint.session({ agent: 'claude', id: 'hour' });
  await savepoint.checkpoint({ message: 'before the hour' });
  const { address, child, stop } = await startStudio(place, command);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    let events = 0;
    page.on('request', () => {
      events += 1;
    });
    await page.goto(address);
    await page.getByText('Live', { exact: true }).waitFor();
    const workspace = page.url().replace(/\/timeline.*$/, '');
    /** @type {number[]} */
    const memory = [memoryOf(child.pid)];
    for (const [quarter, view] of VIEWS.entries()) {
      await page.goto(`${workspace}/${view}`);
      for (let call = 0; call < calls / VIEWS.length; call++) {
        const step = quarter * calls + call;
        if (call % PROMPT_EVERY === 0) await session.prompt(`Step ${step}`);
        const file = `src/module-${step % 200}.ts`;
        await session.call({ tool: 'Write', kind: 'write', paths: [/** @type {never} */ (file)] }, () =>
          writeFileSync(join(place.dir, file), `export const step = ${step};\n`.repeat(40)),
        );
      }
      memory.push(memoryOf(child.pid));
    }
    const { checkpoints } = await savepoint.status();
    const about = `${calls.toLocaleString('en')} calls, ${checkpoints.toLocaleString('en')} checkpoints, ${events.toLocaleString('en')} requests`;
    return [
      `| memory of the server in an hour of events (${about}), at its start and after each quarter | ${memory.join(', ')} MiB |`,
    ];
  } finally {
    await browser.close();
    await stop();
    await savepoint.idle();
    savepoint.close();
  }
}
