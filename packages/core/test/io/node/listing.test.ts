import { closeSync, mkdirSync, openSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { statOf } from '../../../src/io/fs.ts';
import { listByNode } from '../../../src/io/node/listing.ts';
import type { DiskPath } from '../../../src/model/names.ts';

test.skipIf(process.platform !== 'linux').each(['another folder', 'a link to it', 'a file', 'nothing'])(
  'lists the opened folder even if its path now leads to %s',
  (instead) => {
    const { workspace } = world(onTestFinished);
    const path = `${workspace}/folder` as DiskPath;
    for (const [folder, content] of [
      ['folder', 'four'],
      ['other', 'secret'],
    ]) {
      mkdirSync(`${workspace}/${folder}`);
      writeFileSync(`${workspace}/${folder}/file`, content as string);
    }
    const fd = openSync(path, 'r');
    renameSync(path, `${workspace}/moved`);
    if (instead === 'another folder') renameSync(`${workspace}/other`, path);
    if (instead === 'a link to it') symlinkSync('other', path);
    if (instead === 'a file') writeFileSync(path, '');
    const listing = listByNode({ fd, path, displayPath: path });
    closeSync(fd);
    expect(listing.names).toEqual(['file']);
    expect(statOf(listing, 0).size).toBe(4);
  },
);
