import * as fs from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AWKWARD, git, gitFingerprint, manifest, seededTree, world } from '../src/index.ts';

const posix = process.platform !== 'win32';

describe('manifest', () => {
  test('contains kind, mode, content and target of everything', () => {
    const { workspace } = world(onTestFinished);
    fs.mkdirSync(`${workspace}/folder`);
    fs.chmodSync(`${workspace}/folder`, 0o750);
    fs.writeFileSync(`${workspace}/folder/file`, 'abc');
    fs.chmodSync(`${workspace}/folder/file`, 0o640);
    fs.symlinkSync('folder/file', `${workspace}/link`);
    expect(manifest(workspace)).toEqual({
      folder: { kind: 'folder', mode: '0750', sha256: null, target: null },
      'folder/file': {
        kind: 'file',
        mode: '0640',
        sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        target: null,
      },
      link: { kind: 'link', mode: null, sha256: expect.any(String), target: 'folder/file' },
    });
    expect(Object.keys(manifest(workspace, { skip: (path) => path === 'folder' }))).toEqual(['link']);
  });

  test.skipIf(!posix)('differs if anything differs', () => {
    const changes: ((folder: string) => void)[] = [
      (folder) => fs.appendFileSync(`${folder}/.env`, 'x'),
      (folder) => fs.chmodSync(`${folder}/.env`, 0o640),
      (folder) => fs.chmodSync(`${folder}/empty`, 0o700),
      (folder) => fs.mkdirSync(`${folder}/empty/more`),
      (folder) => fs.rmdirSync(`${folder}/empty/more`),
      (folder) => fs.renameSync(`${folder}/.env`, `${folder}/env`),
      (folder) => {
        fs.unlinkSync(`${folder}/links/to-file`);
        fs.symlinkSync('elsewhere', `${folder}/links/to-file`);
      },
      (folder) => {
        fs.unlinkSync(`${folder}/links/dangling`);
        fs.writeFileSync(`${folder}/links/dangling`, 'nothing/here');
      },
    ];
    const { workspace } = world(onTestFinished);
    seededTree(workspace, 1, { git: false });
    let last = manifest(workspace);
    expect(manifest(workspace)).toEqual(last);
    for (const change of changes) {
      change(workspace);
      const now = manifest(workspace);
      expect(now, `${change}`).not.toEqual(last);
      last = now;
    }
  });
});

describe('gitFingerprint', () => {
  /** The file system's clock has a coarse resolution: two writes within the same tick have the same time. */
  const untilNextTick = (folder: string): void => {
    const now = (): bigint => {
      fs.writeFileSync(`${folder}/tick`, '');
      return fs.statSync(`${folder}/tick`, { bigint: true }).ctimeNs;
    };
    const first = now();
    while (now() === first);
  };

  test('changes with every write below a .git, and with nothing else', { timeout: 30_000 }, () => {
    const { folder, workspace } = world(onTestFinished);
    seededTree(workspace, 1);
    const writes: (() => void)[] = [
      () => fs.writeFileSync(`${workspace}/.git/index.lock`, ''),
      () => fs.unlinkSync(`${workspace}/.git/index.lock`),
      () => fs.writeFileSync(`${workspace}/.git/HEAD`, fs.readFileSync(`${workspace}/.git/HEAD`)),
      () => fs.chmodSync(`${workspace}/nested/.git/config`, 0o600),
      () => git(`${workspace}/nested`, 'tag', 'x'),
      () => fs.chmodSync(`${workspace}/.git/HEAD`, fs.statSync(`${workspace}/.git/HEAD`).mode),
    ];
    let last = gitFingerprint(workspace);
    for (const write of writes) {
      untilNextTick(folder);
      write();
      const now = gitFingerprint(workspace);
      expect(now, `${write}`).not.toBe(last);
      last = now;
    }
    fs.writeFileSync(`${workspace}/.gitignore`, 'changed');
    fs.writeFileSync(`${workspace}/src/new.ts`, 'new');
    fs.rmSync(`${workspace}/names`, { recursive: true });
    git(workspace, 'rev-parse', 'HEAD');
    expect(gitFingerprint(workspace)).toBe(last);
  });
});

describe('seededTree', () => {
  test('is the same for the same seed, and different for another', () => {
    const { folder } = world(onTestFinished);
    const trees = [1, 1, 2].map((seed, index) => {
      fs.mkdirSync(`${folder}/${index}`);
      seededTree(`${folder}/${index}`, seed, { git: false });
      return manifest(`${folder}/${index}`);
    });
    expect(trees[1]).toEqual(trees[0]);
    expect(trees[2]).not.toEqual(trees[0]);
  });

  test.skipIf(process.platform !== 'linux')('contains every unusual kind of entry', { timeout: 30_000 }, () => {
    const { workspace } = world(onTestFinished);
    seededTree(workspace, 1, { files: 3 });
    for (const [what, path] of Object.entries(AWKWARD)) {
      expect(fs.lstatSync(Buffer.concat([Buffer.from(`${workspace}/`), path])), what).toBeDefined();
    }
    const all = manifest(workspace, { skip: (path) => /(^|\/)\.git$/.test(path) });
    expect(Object.keys(all).filter((path) => path.startsWith('base64:'))).toHaveLength(1);
    expect(all['.env']?.mode).toBe('0600');
    expect(all['modes/read-only.txt']?.mode).toBe('0444');
    expect(all['modes/run.sh']?.mode).toBe('0755');
    expect(all['links/dangling']).toMatchObject({ kind: 'link', target: 'nothing/here' });
    expect(all['empty-below/a/b']?.kind).toBe('folder');
    expect(fs.readFileSync(`${workspace}/attributes/crlf.txt`, 'latin1')).toContain('\r\n');
    expect(git(workspace, 'ls-files', 'ignored')).toBe('ignored/kept.log\n');
    expect(git(workspace, 'check-ignore', 'ignored/notes.log')).toBe('ignored/notes.log\n');
    expect(git(`${workspace}/nested`, 'ls-files')).toBe('inside.txt\n');
    expect(git(workspace, 'ls-files', 'nested', 'node_modules')).toBe('');
    // git itself would change this: the blob of the CRLF file differs from the file.
    expect(git(workspace, 'show', 'HEAD:attributes/crlf.txt')).not.toContain('\r');
  });
});
