/** What programs do in a copy, the same on each rung. The real tree is compared by content, mode, inode and times. */

import { linkSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { CopyRung } from '../../src/copy/copy.ts';
import { Place } from '../place.ts';
import { type MonorepoLayout, monorepo } from './monorepo.ts';
import { treeState } from './overlay/tree-state.ts';
import { shellIn } from './shell-in.ts';

const PATH = process.env['PATH'] ?? '';

interface RungGiven {
  readonly rung: CopyRung;
  readonly isLong?: boolean;
  /** Default: in the folder for temporary files. */
  readonly place?: () => Place;
}

interface Program {
  readonly name: string;
  /** Fails if it did not do what it is to do. */
  readonly script: string;
  /** What then differs in the copy. No checkpoint contains dependencies. */
  readonly changes: readonly string[];
}

const python = (code: string): string => `python3 -c "${code}"`;

const PROGRAMS: readonly Program[] = [
  { name: 'node writeFile', script: `node -e "fs.writeFileSync('text', 'new')"`, changes: ['text'] },
  { name: 'node appendFile', script: `node -e "fs.appendFileSync('text', 'new')"`, changes: ['text'] },
  {
    name: 'node, a new file renamed over the old one',
    script: `node -e "fs.writeFileSync('.new', 'new'); fs.renameSync('.new', 'text')"`,
    changes: ['text'],
  },
  { name: "python open('w')", script: python("open('text', 'w').write('new')"), changes: ['text'] },
  {
    name: 'a shared mapping in memory',
    script: python(
      "import mmap; f = open('text', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:3] = b'new'; m.flush(); m.close()",
    ),
    changes: ['text'],
  },
  { name: 'tee', script: 'echo new | tee text other >/dev/null', changes: ['other', 'text'] },
  { name: '> and >>', script: 'echo new >text; echo new >>other', changes: ['other', 'text'] },
  { name: 'cp', script: 'cp other text', changes: ['text'] },
  { name: 'sed -i', script: 'sed -i s/text/new/ text', changes: ['text'] },
  {
    name: 'dd into the middle',
    script: 'printf new | dd of=text conv=notrunc seek=1 bs=1 status=none',
    changes: ['text'],
  },
  { name: 'truncate', script: 'truncate -s 1 text', changes: ['text'] },
  { name: 'touch', script: 'touch -d 2001-01-01 text folder', changes: [] },
  {
    name: 'chmod',
    script: 'chmod 600 text node_modules/package/index.js; chmod 700 folder; chmod 750 .',
    changes: ['', 'folder', 'text'],
  },
  { name: 'a renamed file', script: 'mv text moved', changes: ['moved'] },
  { name: 'two swapped files', script: 'mv text swap; mv other text; mv swap other', changes: ['other', 'text'] },
  { name: 'a renamed folder', script: 'mv folder moved', changes: ['moved/deep/file'] },
  { name: 'a deleted file', script: 'rm text', changes: ['text'] },
  {
    name: 'deleted folders',
    script: 'rm -r folder node_modules ignored',
    changes: ['folder/deep/file', 'ignored/build', 'ignored/old'],
  },
  {
    name: 'a replaced folder',
    script: 'rm -r folder; mkdir folder; echo new >folder/new; test "$(ls folder)" = new',
    changes: ['folder/deep/file', 'folder/new'],
  },
  {
    name: 'a folder in place of a file, and the reverse',
    script: 'rm text; mkdir text; rm -r folder; echo new >folder',
    changes: ['folder', 'folder/deep/file', 'text'],
  },
  {
    name: 'a file with several names',
    script: 'echo new >>hard; ln other second; echo new >>second; grep -q new other',
    changes: ['hard', 'other', 'second'],
  },
  { name: 'through an absolute link', script: 'echo new >absolute; grep -q new linked', changes: ['linked'] },
  { name: 'a replaced link', script: 'ln -sf text absolute; echo new >>absolute', changes: ['absolute', 'text'] },
  {
    name: 'build files and dependencies',
    script:
      'echo new >ignored/build; echo new >>node_modules/package/index.js; rm ignored/old; mkdir node_modules/.vite; ' +
      'grep -q new node_modules/package/index.js',
    changes: ['ignored/build', 'ignored/old'],
  },
  {
    name: 'git',
    script:
      'echo new >>text; git add -A; git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x; ' +
      'test -z "$(git status --porcelain)"; git gc -q',
    changes: ['text'],
  },
  { name: 'a child in the background', script: '(sleep 0.05; echo late >>text) & wait', changes: ['text'] },
];

/** A child that ignores signals and outlives its parent. */
const STAYS =
  `setsid sh -c 'trap "" TERM HUP; while :; do echo more >>text; sleep 0.02; done' </dev/null >/dev/null 2>&1 & ` +
  'until grep -q more text; do sleep 0.01; done';

/** Adds the tests for one rung. */
export function testProgramsInCopies({ rung, isLong = false, place = () => new Place() }: RungGiven): void {
  const request = { purpose: 'try', rungs: [rung], isLong } as const;
  const open = async (savepoint: Savepoint) => {
    const made = await savepoint.openCopy(request);
    expect([made.copy.record.rung, made.notes]).toEqual([rung, []]);
    return made;
  };
  const openIn = (p: Place) => p.open({ places: { ...p.world.places, searchPath: PATH } });
  test('programs of every kind leave the real tree as it is, and their changes are found', {
    timeout: 240_000,
  }, async () => {
    const p = place();
    for (const name of ['text', 'other', 'linked', 'hard', 'folder/deep/file', 'node_modules/package/index.js']) {
      p.write(name, `text of ${name}\n`);
    }
    for (const name of ['ignored/old', 'ignored/build']) p.write(name, 'text\n');
    p.write('.gitignore', 'ignored\nnode_modules\n');
    p.shell('git init -q; git add .; git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x');
    symlinkSync(p.at('linked'), p.at('absolute'));
    linkSync(p.at('hard'), p.at('node_modules/hard'));
    const savepoint = openIn(p);
    await savepoint.checkpoint();
    const before = treeState(p.at(''));
    for (const { name, script, changes } of PROGRAMS) {
      const made = await open(savepoint);
      shellIn(made.copy, script);
      const found = (await savepoint.diffCopy(made)).changes.map(({ path }) => String(path)).sort();
      expect.soft({ name, found }).toEqual({ name, found: changes });
      expect.soft({ name, tree: treeState(p.at('')) }).toEqual({ name, tree: before });
      await made.copy.drop();
    }
    expect(treeState(p.at(''))).toEqual(before);
  });

  test('what stays in the background is found, ends with the copy, and never reaches the real tree', async () => {
    const p = place();
    p.write('text', 'text\n');
    const savepoint = openIn(p);
    await savepoint.checkpoint();
    const before = treeState(p.at(''));
    const made = await open(savepoint);
    shellIn(made.copy, STAYS);
    const running = made.copy.processes();
    expect(running.length).toBeGreaterThan(0);
    await made.copy.drop();
    const { processes } = realPorts();
    expect(running.map((one) => processes.state(one))).toEqual(running.map(() => 'dead'));
    expect(treeState(p.at(''))).toEqual(before);
  });

  test.each<MonorepoLayout>(['npm', 'pnpm', 'absolute'])(
    'the tests of a monorepo load the changed package, and those of the real folder the old one: %s',
    async (layout) => {
      const p = monorepo(layout, place());
      const savepoint = openIn(p);
      await savepoint.checkpoint();
      const before = treeState(p.at(''));
      const made = await open(savepoint);
      const change = `echo "module.exports = 'changed'" >packages/lib/index.js`;
      const tests =
        'node --test packages/app/app.test.js >said || { cat said; exit 1; }; node packages/app/index.js >loaded';
      shellIn(made.copy, `${change}; ${tests}`, { EXPECTED: 'changed' });
      const loaded = readFileSync(join(made.copy.files, 'loaded'), 'utf8').split('\n');
      expect(loaded.slice(0, 2)).toEqual(['changed', 'wrapper plugin changed']);
      // Of an overlay, programs see the path of the real folder.
      expect(loaded[2]).toBe(join(made.copy.seenAs, pathOfPlain(layout)));
      expect(treeState(p.at(''))).toEqual(before);
      await made.copy.drop();
      p.shell('EXPECTED=old node --test packages/app/app.test.js >/dev/null');
      expect(treeState(p.at(''))).toEqual(before);
    },
  );
}

function pathOfPlain(layout: MonorepoLayout): string {
  return layout === 'pnpm' ? 'node_modules/.pnpm/plain@1/node_modules/plain' : 'node_modules/plain';
}
