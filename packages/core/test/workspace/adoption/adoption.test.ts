import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DiskPath, Savepoint } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import { FaultyFs, fsWith, realPorts, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { AdoptionPlace, text } from './adoption-place.ts';

/** Number of files in a repository that {@link AdoptionPlace.init} creates. */
const ALL = 5;

function made(...args: string[]): AdoptionPlace {
  const place = new AdoptionPlace();
  place.init('', ...args);
  return place;
}

describe('a first checkpoint adopts contents, and equals one that reads them', () => {
  test('in a packed repository, nothing is read', async () => {
    const place = made();
    expect(await place.compare()).toBe(ALL);
  });

  test('adopts only packed, unchanged and old enough files', async () => {
    const place = made();
    place.write('a.txt', text('x'));
    place.write('new.txt', text('new'));
    place.write('staged.txt', text('staged'));
    place.git('add', 'staged.txt');
    const { atime, mtime } = statSync(place.at('b.txt'));
    utimesSync(place.at('b.txt'), atime, mtime.getTime() / 1000 + 5);
    place.write('.gitignore', '*.log\n');
    place.write('some.log', 'ignored\n');
    symlinkSync('a.txt', place.at('link'));
    place.age();
    expect(await place.compare()).toBe(ALL - 2);
  });

  test('copies only needed objects of a pack with old versions, and undeltifies them', async () => {
    const place = made();
    for (let round = 0; round < 40; round++) {
      place.write('a.txt', `${text('a').repeat(30)}${round}\n`);
      place.git('commit', '-qam', `${round}`);
    }
    place.pack();
    expect(place.git('verify-pack', '-v', ...packs(place))).toMatch(/chain length/);
    // A pack that somebody may write is not linked.
    execFileSync('chmod', ['u+w', ...packs(place)]);
    expect(await place.compare()).toBe(ALL);
    const { savepoint } = await place.first(true);
    const store = Buffer.from((await savepoint.status()).workspace.store, 'latin1').toString();
    const listed = execFileSync('git', [
      '--git-dir',
      join(store, 'objects.git'),
      'cat-file',
      '--batch-all-objects',
      '--batch-check',
    ]);
    expect(
      listed
        .toString()
        .split('\n')
        .filter((line) => line.includes('blob')).length,
    ).toBeLessThan(12);
  });

  test('of a pack that exceeds the limit of the store, only the needed objects are copied', async () => {
    const place = new AdoptionPlace();
    place.init();
    place.write('old.bin', randomBytes(800_000));
    place.write('even.txt', 'even\n'.repeat(400_000));
    place.commit();
    place.git('rm', '-q', 'old.bin');
    place.commit();
    const whole = await place.first(true);
    expect(whole.filesRead).toBe(0);
    expect((await whole.savepoint.stats()).storage.packs).toBeGreaterThan(800_000);
    const tight = await place.first(true, { retention: { maxStoreBytes: 500_000 } });
    expect(tight.filesRead).toBe(0);
    expect((await tight.savepoint.stats()).storage.packs).toBeLessThan(500_000);
    expect(tight.result.checkpoint.snapshot).toEqual(whole.result.checkpoint.snapshot);
  });

  test('several repositories, a nested one, and files outside of all', async () => {
    const place = made();
    place.init('inner');
    place.write('notes/x.txt', text('notes'));
    expect(await place.compare()).toBe(2 * ALL);
    const other = new AdoptionPlace();
    other.init('one');
    other.init('two/deep');
    other.write('x.txt', text('x'));
    expect(await other.compare()).toBe(2 * ALL);
  });

  test('a workspace inside a repository', async () => {
    const place = made();
    expect(await place.compare({ folder: 'dir' })).toBe(3);
    expect(await place.compare({ folder: 'dir/deep' })).toBe(2);
  });

  test('submodules and linked worktrees', async () => {
    const place = made();
    const library = new AdoptionPlace();
    library.init();
    place.git('submodule', '--quiet', 'add', library.dir, 'lib');
    place.commit();
    place.gitIn('lib', 'repack', '-adq');
    place.age('lib');
    // .gitmodules is an additional file.
    expect(await place.compare()).toBe(2 * ALL + 1);
    place.git('worktree', 'add', '-q', join(place.dir, 'tree'));
    place.age('tree');
    expect(await place.compare({ folder: 'tree' })).toBe(ALL + 1);
  });

  test('all kinds of configuration of git', async () => {
    for (const how of ['--index-version=4', '--untracked-cache', '--fsmonitor-valid']) {
      const place = made();
      place.git('update-index', how, ...(how === '--fsmonitor-valid' ? ['a.txt'] : []));
      place.age();
      expect(await place.compare(), how).toBe(ALL);
    }
    const place = made();
    place.git('update-index', '--split-index');
    place.age();
    expect(await place.compare()).toBe(0);
  });

  test('adopts nothing in an empty repository, one without a commit, and one with SHA-256', async () => {
    const empty = new AdoptionPlace();
    empty.git('init', '-q');
    expect(await empty.compare()).toBe(0);
    const unborn = new AdoptionPlace();
    unborn.git('init', '-q');
    unborn.write('a.txt', text('a'));
    unborn.git('add', '-A');
    unborn.age();
    expect(await unborn.compare()).toBe(0);
    expect(await made('--object-format=sha256').compare()).toBe(0);
  });

  test('clones: partial, shallow, borrowing, sparse', async () => {
    const source = made();
    source.write('big/x.txt', text('x'));
    source.commit();
    source.git('config', 'uploadpack.allowFilter', 'true');
    const cloned = (...args: string[]): AdoptionPlace => {
      const place = new AdoptionPlace();
      place.git('clone', '-q', ...args, `file://${source.dir}`, '.');
      place.age();
      return place;
    };
    expect(await cloned().compare()).toBe(ALL + 1);
    for (const how of ['--depth=1', '--filter=blob:none']) {
      const place = cloned(how);
      expect(await place.compare(), how).toBe(ALL + 1);
      // Objects of the pack that are not needed are unreachable, and git finds no error in the store.
      const { savepoint } = await place.first(true);
      const store = Buffer.from((await savepoint.status()).workspace.store, 'latin1').toString();
      execFileSync('git', ['--git-dir', join(store, 'objects.git'), 'fsck', '--strict', '--no-dangling']);
    }
    const borrowing = new AdoptionPlace();
    borrowing.git('clone', '-q', '--shared', source.dir, '.');
    borrowing.age();
    expect(await borrowing.compare()).toBe(0);
    const sparse = cloned('--sparse');
    sparse.git('sparse-checkout', 'set', 'big');
    sparse.age();
    expect(await sparse.compare()).toBe(3);
    sparse.git('config', 'index.sparse', 'true');
    sparse.git('sparse-checkout', 'reapply');
    sparse.age();
    await sparse.compare();
  });

  test('conflicts', async () => {
    const place = made();
    place.git('checkout', '-q', '-b', 'other');
    place.write('a.txt', text('theirs'));
    place.git('commit', '-qam', 'theirs');
    place.git('checkout', '-q', 'main');
    place.write('a.txt', text('ours'));
    place.git('commit', '-qam', 'ours');
    expect(() => place.git('merge', '-q', 'other')).toThrow();
    place.pack();
    expect(await place.compare()).toBe(ALL - 1);
  });
});

describe('files that git converts are read', () => {
  const rot = ['config', 'filter.rot.clean', "tr 'a-z' 'n-za-m'"];

  /** Each leaves `a.txt` (and the named others) with bytes that differ from its blob, at the same length. */
  const WAYS: Readonly<Record<string, (place: AdoptionPlace) => void>> = {
    'in the repository': (place) => place.write('.gitattributes', '*.txt filter=rot\n'),
    'in its folder': (place) => place.write('dir/deep/.gitattributes', 'c.txt filter=rot\n'),
    'after a byte order mark': (place) => place.write('.gitattributes', '\ufeffa.txt filter=rot\n'),
    'and a pattern that git forbids': (place) => place.write('.gitattributes', 'a.txt filter=rot\n!a.txt filter=x\n'),
    'by a name for it': (place) => place.write('.gitattributes', '[attr]mine filter=rot\na.txt mine\n'),
    'in quotes': (place) => place.write('.gitattributes', '"a.txt" filter=rot\n'),
    'in info': (place) => writeFileSync(place.at('.git/info/attributes'), 'a.txt filter=rot\n'),
    'in a file that the configuration names': (place) => {
      writeFileSync(place.at('../attributes'), 'a.txt filter=rot\n');
      place.git('config', 'core.attributesFile', place.at('../attributes'));
    },
  };

  test.each(Object.keys(WAYS))('by a filter that keeps the length, named %s', async (way) => {
    const place = made();
    place.git(...rot);
    WAYS[way]?.(place);
    place.git('add', '--renormalize', '.');
    place.git('add', '-A');
    place.commit();
    const changed = ['a.txt', 'dir/deep/c.txt'].filter((name) => place.git('show', `:${name}`) !== read(place, name));
    expect(changed).not.toEqual([]);
    await place.compare();
    if (way === 'in the repository') {
      // git reads it from the index if the file is missing.
      rmSync(place.at('.gitattributes'));
      await place.compare();
    }
    if (way === 'in its folder') expect(await place.compare()).toBe(ALL - 2 + 2);
  });

  test('by a filter for all repositories, or if it is unknown', async () => {
    const place = made();
    place.git(...rot);
    const file = place.at('../attributes');
    writeFileSync(file, 'a.txt filter=rot\n');
    place.git('-c', `core.attributesFile=${file}`, 'add', '--renormalize', '.');
    place.git('-c', `core.attributesFile=${file}`, 'commit', '-qm', 'filtered');
    place.pack();
    expect(place.git('show', ':a.txt')).not.toBe(read(place, 'a.txt'));
    place.attributes = [file as DiskPath];
    expect(await place.compare()).toBe(ALL - 1);
    place.attributes = null;
    expect(await place.compare()).toBe(0);
  });

  test('configured above a workspace inside the repository', async () => {
    const place = made();
    place.git(...rot);
    place.write('.gitattributes', 'dir/deep/c.txt filter=rot\n');
    place.write('dir/.gitattributes', 'again.txt filter=rot\n');
    place.git('add', '--renormalize', '.');
    place.commit();
    expect(place.git('show', ':dir/deep/c.txt')).not.toBe(read(place, 'dir/deep/c.txt'));
    expect(await place.compare({ folder: 'dir/deep' })).toBe(0);
  });

  test.each([
    ['core.autocrlf', '', 'core.autocrlf=true', 'a\r\nb\r\n'],
    ['eol=crlf', '*.crlf text eol=crlf\n', 'a.b=c', 'a\r\nb\r\n'],
    ['text=auto', '* text=auto\n', 'a.b=c', 'a\r\nb\r\n'],
    ['crlf', '*.crlf crlf\n', 'a.b=c', 'a\r\nb\r\n'],
    ['ident', '*.crlf ident\n', 'a.b=c', '$Id: 1234 $\n'],
    ['an encoding', '*.crlf working-tree-encoding=UTF-16LE\n', 'a.b=c', Buffer.from('text\n', 'utf16le')],
  ])('%s', async (_, attributes, setting, content) => {
    const place = made();
    const [key = '', value = ''] = setting.split('=');
    place.git('config', key, value);
    if (attributes !== '') place.write('.gitattributes', attributes);
    place.write('some.crlf', content);
    place.write('plain.crlf', 'a\nb\n');
    place.git('-c', 'core.safecrlf=false', 'add', '-A');
    place.commit();
    expect(place.git('cat-file', '-s', ':some.crlf')).not.toBe(`${content.length}`);
    await place.compare();
  });

  test('files that only a line-ending conversion could change are adopted if it did not', async () => {
    const place = new AdoptionPlace();
    place.git('init', '-q');
    place.write('.gitattributes', '* text=auto\n');
    place.init();
    expect(await place.compare()).toBe(ALL + 1);
  });

  test('replaced objects', async () => {
    const place = made();
    const [a, b] = [place.git('rev-parse', ':a.txt'), place.git('rev-parse', ':b.txt')];
    place.git('replace', a, b);
    rmSync(place.at('a.txt'));
    place.git('checkout', '-q', '--', 'a.txt');
    place.age();
    expect(read(place, 'a.txt')).toBe(text('b').trimEnd());
    expect(await place.compare()).toBe(0);
    place.git('pack-refs', '--all');
    expect(await place.compare()).toBe(0);
  });
});

describe('an incomplete index entry is not trusted', () => {
  test('a complete one is: mistakes would be detected', async () => {
    const place = made();
    place.lieAbout('a.txt');
    const read = await place.first(false);
    const adopted = await place.first(true);
    expect(adopted.result.checkpoint.snapshot.files).not.toBe(read.result.checkpoint.snapshot.files);
  });

  const NUMBERS: Readonly<Record<string, number>> = {
    'seconds of the inode’s time': 0,
    'nanoseconds of the inode’s time': 4,
    'seconds of the time': 8,
    'nanoseconds of the time': 12,
    inode: 20,
    size: 36,
  };
  test.each(Object.keys(NUMBERS))('another %s', async (what) => {
    const at = NUMBERS[what] ?? 0;
    // Node reports times with a precision of 250 nanoseconds.
    const least = what.startsWith('nano') ? 1_000 : 1;
    for (const change of [least, -least]) {
      const place = made();
      place.lieAbout('a.txt');
      place.forge('a.txt', (entry) => entry.writeUInt32BE(Math.abs(entry.readUInt32BE(at) + change), at));
      expect(await place.compare()).toBe(ALL - 1);
    }
  });

  test('no nanoseconds, no inode', async () => {
    for (const at of [4, 20]) {
      const place = made();
      place.lieAbout('a.txt');
      place.forge('a.txt', (entry) => entry.writeUInt32BE(0, at));
      expect(await place.compare()).toBe(ALL - 1);
    }
  });

  test('another kind', async () => {
    for (const mode of [0o120000, 0o160000]) {
      const place = made();
      place.lieAbout('a.txt');
      place.forge('a.txt', (entry) => entry.writeUInt32BE(mode, 24));
      expect(await place.compare()).toBe(ALL - 1);
    }
  });

  test.each(['--assume-unchanged', '--skip-worktree'])('%s', async (flag) => {
    const place = made();
    place.git('update-index', flag, 'a.txt');
    place.age();
    place.lieAbout('a.txt');
    expect(await place.compare()).toBe(ALL - 1);
  });

  test('an entry of a conflict, and one of git add --intent-to-add', async () => {
    const conflict = made();
    conflict.lieAbout('a.txt');
    conflict.forge('a.txt', (entry) => entry.writeUInt16BE(entry.readUInt16BE(60) | 0x1000, 60));
    expect(await conflict.compare()).toBe(ALL - 1);
    const intended = made();
    intended.git('update-index', '--skip-worktree', 'a.txt');
    intended.age();
    intended.lieAbout('a.txt');
    intended.forge('a.txt', (entry) => entry.writeUInt16BE(0x2000, 62));
    expect(intended.git('ls-files', '--debug', 'a.txt')).toContain('flags: 20004000');
    expect(await intended.compare()).toBe(ALL - 1);
  });

  test('--assume-unchanged and --skip-worktree, with an edit hidden from git', async () => {
    const place = made();
    place.git('update-index', '--assume-unchanged', 'a.txt');
    place.git('update-index', '--skip-worktree', 'dir/run.sh');
    place.write('a.txt', text('x'));
    place.write('dir/run.sh', text('x'), 0o755);
    place.age();
    expect(place.git('status', '--porcelain')).toBe('');
    expect(await place.compare()).toBe(ALL - 2);
  });

  test('racily clean', async () => {
    for (const [later, adopted] of [
      [0, ALL - 1],
      [-1, ALL - 1],
    ] as const) {
      const place = made();
      place.lieAbout('a.txt');
      place.age('', -1);
      const seconds = Math.floor(statSync(place.at('a.txt')).mtimeMs / 1000) + later;
      // Within the same second as the file, at its end.
      utimesSync(place.index(), seconds + 0.999, seconds + 0.999);
      expect(await place.compare()).toBeLessThanOrEqual(adopted);
    }
  });

  test('a reset mtime proves nothing: the ctime is in the same second as the index', async () => {
    const place = made();
    place.write('a.txt', text('a'));
    utimesSync(place.at('a.txt'), 1_600_000_000, 1_600_000_000);
    place.git('update-index', '-q', '--refresh');
    place.lieAbout('a.txt');
    const seconds = Math.floor(statSync(place.at('a.txt')).ctimeMs / 1000);
    utimesSync(place.index(), seconds + 0.999, seconds + 0.999);
    await place.compare();
  });

  test('an edit of the same size that reset the mtime', async () => {
    const place = made();
    const { atimeMs, mtimeMs } = statSync(place.at('a.txt'));
    place.write('a.txt', text('x'));
    utimesSync(place.at('a.txt'), atimeMs / 1000, mtimeMs / 1000);
    place.age();
    expect(await place.compare()).toBe(ALL - 1);
  });

  test('a different file with the same size and times', async () => {
    const place = made();
    const { atimeMs, mtimeMs } = statSync(place.at('a.txt'));
    place.write('other', text('x'));
    utimesSync(place.at('other'), atimeMs / 1000, mtimeMs / 1000);
    renameSync(place.at('other'), place.at('a.txt'));
    place.age();
    expect(await place.compare()).toBe(ALL - 1);
  });

  test('an object that is not a blob, or has another length', async () => {
    for (const what of ['HEAD', 'HEAD^{tree}', ':dir/run.sh']) {
      const place = made();
      const id = place.git('rev-parse', what);
      place.write('a.txt', 'short\n');
      place.git('update-index', '-q', 'a.txt');
      place.age();
      place.forge('a.txt', (entry) => entry.write(id, 40, 'hex'));
      expect(await place.compare()).toBe(ALL - 1);
    }
  });

  test('a repository whose files are elsewhere, or that belongs to another user', async () => {
    const place = made();
    place.lieAbout('a.txt');
    place.git('config', 'core.worktree', place.dir);
    expect(await place.compare()).toBe(0);
    const other = made();
    other.lieAbout('a.txt');
    renameSync(other.at('.git'), other.at('../its.git'));
    writeFileSync(other.at('.git'), `gitdir: ${other.at('../its.git')}\n`);
    expect(await other.compare()).toBe(0);
  });

  test('a repository whose configuration cannot be read completely', async () => {
    const place = made();
    place.lieAbout('a.txt');
    appendFileSync(place.at('.git/config'), '[core\n');
    expect(await place.compare()).toBe(0);
  });

  test.each(['include.path', 'includeIf.gitdir:x.path', 'attr.tree', 'extensions.later'])(
    'a repository that says %s',
    async (key) => {
      const place = made();
      place.lieAbout('a.txt');
      appendFileSync(
        place.at('.git/config'),
        `[${key.replace(/^(\w+)\.(?:(.*)\.)?(\w+)$/, '$1 "$2"]\n$3 = x').replace(' ""', '')}\n`,
      );
      expect(await place.compare()).toBe(0);
    },
  );
});

describe('damage is detected or avoided by reading the file', () => {
  test('an index, a pack and its index', async () => {
    const CASES: Readonly<Record<string, (place: AdoptionPlace) => void>> = {
      index: (place) => damageFile(place.index(), (data) => flip(data, 100)),
      'half an index': (place) => damageFile(place.index(), (data) => data.subarray(0, data.length / 2)),
      'half a pack': (place) => damageFile(packs(place)[0] ?? '', (data) => data.subarray(0, data.length / 2)),
      'no pack': (place) => rmSync(packs(place)[0] ?? ''),
      'an empty pack': (place) => damageFile(packs(place)[0] ?? '', () => Buffer.alloc(0)),
      'a longer pack': (place) => damageFile(packs(place)[0] ?? '', (data) => Buffer.concat([data, Buffer.alloc(1)])),
      'the head of a pack': (place) => damageFile(packs(place)[0] ?? '', (data) => flip(data, 11)),
      'the end of a pack': (place) => damageFile(packs(place)[0] ?? '', (data) => flip(data, data.length - 1)),
      'index of a pack': (place) => damageFile(indexOfPack(place), (data) => flip(data, 1100)),
      'half an index of a pack': (place) => damageFile(indexOfPack(place), (data) => data.subarray(0, data.length / 2)),
      'no index of a pack': (place) => rmSync(indexOfPack(place)),
      configuration: (place) => appendFileSync(place.at('.git/config'), '[core\n'),
    };
    for (const [what, damage] of Object.entries(CASES)) {
      const place = made();
      damage(place);
      await place.compare().catch((error: unknown) => {
        throw new Error(`${what}: ${String(error)}`, { cause: error });
      });
    }
  });

  test('the folder of packs vanishes during the scan, or git repacks', async () => {
    for (const meanwhile of ['repack', 'gone'] as const) {
      const place = made();
      const read = await place.first(false);
      const counting = new FaultyFs(realPorts().fs);
      await place.first(true, { ports: realPorts({ fs: counting }) });
      const calls = counting.log.length;
      for (let at = 1; at <= calls; at += Math.ceil(calls / testEffort({ quick: 4, ci: 12, long: 12 }))) {
        const again = made();
        const action = (): void => {
          if (meanwhile === 'repack') {
            again.write('zzz', 'new\n');
            again.git('add', 'zzz');
            again.git('repack', '-adqF');
            again.git('rm', '-qf', 'zzz');
          } else rmSync(again.at('.git/objects/pack'), { recursive: true, force: true });
        };
        const { result, damage } = await again.first(true, { ports: realPorts({ fs: interrupted(at, action) }) });
        expect(result.checkpoint.snapshot.files, `${meanwhile} before call ${at}`).toBe(
          read.result.checkpoint.snapshot.files,
        );
        expect(damage).toEqual([]);
      }
    }
  });
});

describe('adopted objects are verified afterwards', () => {
  const warned = (savepoint: Savepoint): string[] => {
    const messages: string[] = [];
    savepoint.on('warning', ({ message }) => messages.push(message));
    return messages;
  };
  const isDue = async (savepoint: Savepoint): Promise<boolean> => {
    const store = Buffer.from((await savepoint.status()).workspace.store, 'latin1').toString();
    return existsSync(join(store, 'cache/adopted'));
  };

  test('nothing is reported if all is well, also if files changed since', async () => {
    const place = made();
    const { savepoint } = await place.first(true);
    const messages = warned(savepoint);
    place.write('a.txt', text('x'));
    expect(await isDue(savepoint)).toBe(true);
    await savepoint.tidyUp();
    expect(await isDue(savepoint)).toBe(false);
    await savepoint.tidyUp();
    expect(messages).toEqual([]);
    expect((await savepoint.list()).checkpoints.length).toBe(1);
  });

  test('nothing is due if no entire pack was adopted', async () => {
    const place = made();
    expect(await isDue((await place.first(false)).savepoint)).toBe(false);
  });

  test('a long-lived process verifies once, however many checkpoints are taken meanwhile', async () => {
    const place = made();
    for (let nth = 0; nth < 1_000; nth++) place.write(`many/${nth}.txt`, text(`${nth}`));
    place.commit();
    // Every scan reads files that are less than two seconds old.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    let times = 0;
    const { fs } = realPorts();
    const counting = fsWith(fs, {
      openRead: (path) => {
        if (path.endsWith('/many/7.txt')) times += 1;
        return fs.openRead(path);
      },
    });
    const { savepoint } = await place.first(true, { ports: realPorts({ fs: counting }), watch: true });
    // With this many checkpoints, packs are merged in the background after each one, and the check runs before that.
    for (let nth = 0; nth < 70; nth++) {
      place.write('changing.txt', `${nth}`);
      await savepoint.checkpoint();
    }
    expect(await isDue(savepoint)).toBe(true);
    await savepoint.idle();
    expect(await isDue(savepoint)).toBe(false);
    expect(times).toBe(1);
    savepoint.close();
  });

  test('a wrong index is detected, and a correct checkpoint is taken', async () => {
    const place = made();
    place.lieAbout('a.txt');
    const read = await place.first(false);
    const { savepoint } = await place.first(true);
    const messages = warned(savepoint);
    await savepoint.tidyUp();
    expect(messages).toEqual([expect.stringContaining('a.txt')]);
    const { checkpoints } = await savepoint.list();
    expect(checkpoints.map(({ number }) => number).sort()).toEqual([1, 2]);
    const latest = checkpoints.find(({ number }) => number === 2);
    expect(latest?.snapshot.files).toBe(read.result.checkpoint.snapshot.files);
    expect(await isDue(savepoint)).toBe(false);
  });

  test('a damaged object is reported, and stored again from the file', async () => {
    const place = made();
    const id = place.git('rev-parse', ':a.txt');
    const row = place
      .git('verify-pack', '-v', ...packs(place))
      .split('\n')
      .find((line) => line.startsWith(id));
    const [, , , size = '', offset = ''] = row?.split(/ +/) ?? [];
    damageFile(packs(place)[0] ?? '', (data) => flip(data, Number(offset) + Number(size) - 6));
    const { savepoint, damage } = await place.first(true);
    expect(damage.map(({ object }) => object)).toContain(id);
    const messages = warned(savepoint);
    await savepoint.tidyUp();
    expect(messages).toEqual([expect.stringContaining('a.txt')]);
    place.write('a.txt', text('x'));
    await savepoint.restore('cp_1');
    expect(read(place, 'a.txt')).toBe(text('a').trimEnd());
    await savepoint.gc();
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });
});

function damageFile(file: string, change: (data: Buffer) => Buffer): void {
  execFileSync('chmod', ['u+w', file]);
  writeFileSync(file, change(readFileSync(file)));
}

function flip(data: Buffer, at: number): Buffer {
  data[at] = (data[at] as number) ^ 0xff;
  return data;
}

/** Runs an action before the n-th call. */
function interrupted(at: number, action: () => void): Fs {
  let calls = 0;
  return new Proxy(realPorts().fs, {
    get: (fs, name: keyof Fs) => {
      calls += 1;
      if (calls === at) action();
      const method: unknown = fs[name];
      return typeof method === 'function' ? method.bind(fs) : method;
    },
  });
}

function packs(place: AdoptionPlace): readonly string[] {
  const folder = place.at('.git/objects/pack');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(folder, name));
}

function indexOfPack(place: AdoptionPlace): string {
  return (packs(place)[0] ?? '').replace(/pack$/, 'idx');
}

function read(place: AdoptionPlace, name: string): string {
  return readFileSync(place.at(name), 'utf8').trimEnd();
}
