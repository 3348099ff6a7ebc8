// @ts-check
/** What Studio shows beyond the project of the other pictures: a plan, an edit of the user, and a call that is running. */
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
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
  await otherKinds(savepoint, dir);
  await savepoint.createForks(['tax-table']);
  await makeForks(savepoint);
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

/**
 * A turn with more than lines: images, a binary file, a link, permissions, a rename, and only white space.
 * @param {import('@savepoint/core').Savepoint} savepoint @param {string} dir
 */
async function otherKinds(savepoint, dir) {
  const session = savepoint.session({ agent: 'gemini', id: 'b81e6c02' });
  const turn = async (/** @type {string} */ prompt, /** @type {() => void} */ work) => {
    await session.prompt(prompt);
    await session.call({ tool: 'run_shell_command', kind: 'shell', summary: 'node tools/assets.js' }, async () =>
      work(),
    );
  };
  const at = (/** @type {string} */ path) => join(dir, path);
  await turn('Add the pictures of the shop and a script that deploys it', () => {
    mkdirSync(at('assets'), { recursive: true });
    writeFileSync(at('assets/logo.png'), picture([42, 60, 207]));
    writeFileSync(at('assets/font.woff2'), Buffer.alloc(18_000, '\0font'));
    writeFileSync(at('deploy.sh'), '#!/bin/sh\nset -e\nnode build.js\nrsync -a dist/ shop:/srv\n');
    writeFileSync(at('assets/prices.json'), '{\n"apple": 120,\n"pear": 150,\n"plum": 90\n}\n');
    writeFileSync(at('assets/OLD.md'), '# Pictures\n\nAll pictures are drawn by hand.\nThey may be used freely.\n');
  });
  await turn('Recolour the logo, format the prices, and make the script executable', () => {
    writeFileSync(at('assets/logo.png'), picture([180, 80, 26]));
    writeFileSync(at('assets/font.woff2'), Buffer.alloc(21_500, '\0font'));
    chmodSync(at('deploy.sh'), 0o755);
    writeFileSync(at('assets/prices.json'), '{\n  "apple": 120,\n  "pear": 150,\n  "plum": 90\n}\n');
    renameSync(at('assets/OLD.md'), at('assets/README.md'));
    symlinkSync('assets/logo.png', at('logo.png'));
  });
}

/** A disc on a transparent ground, as a PNG. @param {readonly number[]} colour */
function picture(colour) {
  const size = 96;
  const rows = Array.from({ length: size }, (_, y) => [
    0,
    ...Array.from({ length: size }, (_, x) =>
      Math.hypot(x - size / 2, y - size / 2) < size / 2 - 4 ? [...colour, 255] : [0, 0, 0, 0],
    ).flat(),
  ]).flat();
  const part = (/** @type {string} */ name, /** @type {Buffer} */ data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    part('IHDR', head),
    part('IDAT', deflateSync(Buffer.from(rows))),
    part('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * Three attempts at the same thing, two of which change the same lines.
 * @param {import('@savepoint/core').Savepoint} savepoint
 */
async function makeForks(savepoint) {
  for (const [name, argument] of [
    ['cache-first', 'cache'],
    ['retry-queue', 'queue'],
    ['worker-pool', null],
  ]) {
    const [created] = await savepoint.createForks([String(name)]);
    const folder = Buffer.from(created?.files ?? '', 'latin1').toString();
    if (argument !== null) {
      const login = join(folder, 'src/routes/login.ts');
      writeFileSync(
        login,
        readFileSync(login, 'utf8').replace('isAllowed(request)', `isAllowed(request, ${argument})`),
      );
    }
    writeFileSync(
      join(folder, `src/auth/${name}.ts`),
      `export const ${argument ?? 'pool'} = new Map<string, number>();\n`,
    );
  }
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
