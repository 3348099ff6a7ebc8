// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PROMPT_EVERY = 20;
const MANUAL_EVERY = 100;

/**
 * Makes a workspace with a long timeline: an agent's session with prompts and calls, and checkpoints of its user.
 * @param {{ dir: string, home: string, checkpoints: number }} where
 */
export async function makeLongTimeline({ dir, home, checkpoints }) {
  const core = await import('@savepoint/core');
  const { nodePorts } = await import('@savepoint/core/node');
  mkdirSync(join(dir, 'src'), { recursive: true });
  for (let at = 0; at < 100; at++) writeFileSync(join(dir, 'src', `module-${at}.ts`), source(at, 0));
  const savepoint = core.open({
    dir: /** @type {import('@savepoint/core').DiskPath} */ (dir),
    ports: nodePorts(),
    retention: { maxCheckpoints: 2 * checkpoints },
    places: { home: /** @type {import('@savepoint/core').DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
  const session = savepoint.session({ agent: 'claude', id: 'long' });
  let made = 0;
  for (let step = 0; made < checkpoints; step++) {
    const file = `src/module-${step % 100}.ts`;
    if (step % PROMPT_EVERY === 0) await session.prompt(`Change step ${step} of the module`);
    await session.call({ tool: 'Write', kind: 'write', paths: [/** @type {never} */ (file)] }, () =>
      writeFileSync(join(dir, file), source(step % 100, step)),
    );
    if (step % MANUAL_EVERY === 0) await savepoint.checkpoint({ message: `step ${step} works` });
    if (step % 200 === 0) made = (await savepoint.status()).checkpoints;
  }
  // The newest row has a diff.
  await session.prompt('One more change');
  const last = /** @type {never} */ ('src/module-0.ts');
  await session.call({ tool: 'Write', kind: 'write', paths: [last] }, () =>
    writeFileSync(join(dir, last), source(0, made + 1)),
  );
  await savepoint.idle();
  savepoint.close();
}

/** @param {number} at @param {number} step */
function source(at, step) {
  return Array.from(
    { length: 40 },
    (_, line) => `export const value${line} = ${line % 7 === step % 7 ? step : at}; // ${line}\n`,
  ).join('');
}
