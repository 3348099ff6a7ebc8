import fs from 'node:fs';
import { open, type Savepoint } from '@savepoint/core';
import { realPorts, type World, world } from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

interface Opened {
  readonly savepoint: Savepoint;
  readonly w: World;
  readonly home: string;
}

async function opened(watch: boolean): Promise<Opened> {
  const w = world(onTestFinished);
  const dir = Buffer.from(w.workspace, 'latin1').toString();
  fs.writeFileSync(`${dir}/a.txt`, 'one\n');
  const savepoint = open({ dir: w.workspace, ports: realPorts(), places: w.places, watch });
  await savepoint.checkpoint();
  await savepoint.idle();
  fs.writeFileSync(`${dir}/a.txt`, 'two\n');
  return { savepoint, w, home: Buffer.from(w.places.home, 'latin1').toString() };
}

describe.each([[false], [true]])('a workspace that was opened (watch: %s)', (watch) => {
  it('does not create the folder of the stores again, and works once it is back', async () => {
    const { savepoint, w, home } = await opened(watch);
    fs.renameSync(home, `${home}.away`);
    const session = savepoint.session({ agent: 'mine', id: 's' });
    for (const call of [
      () => savepoint.checkpoint(),
      () => savepoint.list(),
      () => savepoint.undo(),
      () => session.prompt('text', 'm1'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'STORE_DAMAGED', message: expect.stringContaining(home) });
    }
    await savepoint.idle();
    expect(fs.existsSync(home)).toBe(false);
    fs.renameSync(`${home}.away`, home);
    expect((await savepoint.checkpoint()).checkpoint.id).toBe('cp_2');
    savepoint.close();
    fs.rmSync(home, { recursive: true });
    const fresh = open({ dir: w.workspace, ports: realPorts(), places: w.places });
    expect((await fresh.checkpoint()).checkpoint.id).toBe('cp_1');
  });

  it('does nothing after close', async () => {
    const { savepoint } = await opened(watch);
    const session = savepoint.session({ agent: 'mine', id: 's' });
    savepoint.close();
    savepoint.close();
    for (const call of [
      () => savepoint.checkpoint(),
      () => savepoint.list(),
      () => savepoint.once((one) => one.status()),
      () => session.prompt('text', 'm1'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('close()') });
    }
    expect(() => savepoint.watch({ signal: new AbortController().signal })).toThrow('close()');
    await savepoint.idle();
  });
});
