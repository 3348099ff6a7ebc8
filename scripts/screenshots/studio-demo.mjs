// @ts-check
/** What Studio shows beyond the project of the other pictures: a plan, an edit of the user, and a call that is running. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';

/** @typedef {import('@savepoint/core').DiskPath} DiskPath */

/**
 * @param {{ dir: string, home: string }} where
 * @returns {Promise<() => Promise<void>>} ends the running call
 */
export async function makeStudioDemo({ dir, home }) {
  const savepoint = open({
    dir: /** @type {DiskPath} */ (dir),
    ports: nodePorts(),
    places: { home: /** @type {DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
  const read = (/** @type {string} */ path) => readFileSync(join(dir, path), 'utf8');
  await savepoint.proposeEdits(
    [
      {
        path: 'src/auth/rate-limit.ts',
        edits: [{ op: 'write', content: byName(read('src/auth/rate-limit.ts')) }],
      },
      {
        path: 'src/routes/login.ts',
        edits: [
          { op: 'replace', old: 'isAllowed(request)', new: 'isAllowed(request, name)' },
          { op: 'replace', old: "'Wrong name or password'", new: "'Name or password is wrong'" },
        ],
      },
      { path: 'docs/limits.md', edits: [{ op: 'create', content: '# Limits\n\nFive logins a minute.\n' }] },
    ],
    { intent: 'Count failed logins by name as well, not only by address' },
  );
  const session = savepoint.session({ agent: 'codex', id: '0199ab7c' });
  await session.prompt('Show prices in the cart with the tax of the country');
  await session.call({ tool: 'apply_patch', kind: 'write', paths: ['src/cart/tax.ts'] }, async () => {
    writeFileSync(join(dir, 'src/cart/tax.ts'), TAX);
  });
  let end = () => {};
  const ended = new Promise((resolve) => {
    end = () => resolve(undefined);
  });
  const running = session.call({ tool: 'shell', kind: 'shell', summary: 'npm test -- cart' }, () => ended);
  writeFileSync(join(dir, 'README.md'), `${read('README.md')}\nRun it with \`node src/main.ts\`.\n`);
  return async () => {
    end();
    await running;
    savepoint.close();
  };
}

/** @param {string} text */
function byName(text) {
  return text
    .replace('isAllowed(request: Request)', 'isAllowed(request: Request, name: string)')
    .replace(
      'return recent.length < PER_MINUTE;',
      'return recent.length < PER_MINUTE && (failures.get(name) ?? 0) < PER_NAME;',
    )
    .replace(
      'const PER_MINUTE = 5;',
      'const PER_MINUTE = 5;\nconst PER_NAME = 20;\nconst failures = new Map<string, number>();',
    );
}

const TAX = `/** The tax of each country, in hundredths. */
const TAXES: Readonly<Record<string, number>> = { de: 1900, ch: 810, us: 0 };

export const taxOf = (country: string): number => TAXES[country] ?? 0;
`;
