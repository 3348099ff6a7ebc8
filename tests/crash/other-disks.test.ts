import type { DiskPath } from '@savepoint/core';
import { FaultyFs, type FsCall, type SimDisk } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, engine, journals, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, SCENES } from './scenes.ts';

/** File systems without hard links. There a check and a rename give a file its name, and still nothing is replaced. */

const isLink = ({ operation }: FsCall): boolean => operation === 'hardLink';

/** @param before is called for each refused link */
function withoutLinks(disk: SimDisk, before: (call: FsCall) => void = () => {}): FaultyFs {
  const counts = (call: FsCall): boolean => {
    if (isLink(call)) before(call);
    return isLink(call);
  };
  return new FaultyFs(disk, { at: 1, fault: { fail: 'EPERM', sticky: true }, counts });
}

const WRITING = SCENES.filter(({ name }) => /^(re|undo|edit of 2 |first|clean-up)/.test(name));

describe.each(WRITING)('$name', (scene) => {
  it('works without hard links as well', async () => {
    const start = await prepared(scene);
    const [whole, disk] = [start.afterProcessDeath(), start.afterProcessDeath()];
    await scene.action(engine(whole, 100));
    const fs = withoutLinks(disk);
    await scene.action(engine(fs, 100));
    expect(fs.hit || scene.name === 'clean-up').toBe(true);
    expect(tell(treeOf(disk).tree)).toBe(tell(treeOf(whole).tree));
    expect(treeOf(disk).staging).toEqual([]);
    expect(journals(disk)).toEqual([]);
    await verifyDeep(engine(disk, 200));
  });
});

describe.each(SCENES.filter(({ name }) => /^(restore|undo|edit of 2 files)$/.test(name)))('$name', (scene) => {
  it('a file that another program creates at that moment stays, and the operation is rolled back', async () => {
    const start = await prepared(scene);
    let conflicts = 0;
    for (let at = 1, isOver = false; !isOver; at++) {
      const disk = start.afterProcessDeath();
      let links = 0;
      let taken: string | null = null;
      const fs = withoutLinks(disk, ({ path }) => {
        const isOfWorkspace = path.startsWith(`${ROOT}/`) && !path.includes('/.savepoint-');
        if (!isOfWorkspace || ++links !== at) return;
        taken = path.slice(ROOT.length + 1);
        disk.close(disk.openNew(path as DiskPath, 0o604));
      });
      const code = await scene.action(engine(fs, 100)).then(() => null, codeOf);
      isOver = taken === null;
      if (taken === null) continue;
      expect(code, taken).toBe('CONFLICT');
      const { tree } = treeOf(disk);
      expect(tree.get(taken)).toBe('file 604 ');
      expect(tell(tree, [taken])).toBe(tell(treeOf(start).tree, [taken]));
      conflicts += 1;
    }
    expect(conflicts).toBeGreaterThan(0);
  });
});
