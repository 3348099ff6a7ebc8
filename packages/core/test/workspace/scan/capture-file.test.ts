/** The content that a capture stores is one that a program wrote, not one of the moments of a save. */
import { writeFileSync } from 'node:fs';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { worldWith } from '../../timeline/query/timeline-world.ts';

test('a file that is empty halfway through a save in place is captured with its new content', async () => {
  const { w } = await worldWith({ 'a.txt': 'old\n' });
  w.write('a.txt', 'first save\n');
  const ports = realPorts();
  // The next save begins when the capture opens the file, and takes 20 ms of the capture's own time.
  let began: number | null = null;
  let waited = 0;
  const fs = new Proxy(ports.fs, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (name === 'openRead' && began === null && String(args[0]).endsWith('/a.txt')) {
          writeFileSync(w.at('a.txt'), '');
          began = Date.now();
        }
        return value.apply(target, args);
      };
    },
  });
  const clock = {
    ...ports.clock,
    now: () => (began === null ? Date.now() : began + waited),
    sleep: async (ms: number) => {
      if (began !== null && waited < 20 && waited + ms >= 20) writeFileSync(w.at('a.txt'), 'second save\n');
      waited += began === null ? 0 : ms;
    },
  };
  const { checkpoint } = await w.open({ ports: { ...ports, fs, clock } }).checkpoint();
  expect(checkpoint.unsettled).toEqual([]);
  expect(checkpoint.changes).toMatchObject([{ path: 'a.txt', afterSize: 'second save\n'.length }]);
});

test('a file that stays empty is captured as it is', async () => {
  const { w } = await worldWith({ 'a.txt': 'old\n' });
  writeFileSync(w.at('a.txt'), '');
  const { checkpoint } = await w.open({ ports: realPorts() }).checkpoint();
  expect(checkpoint.unsettled).toEqual([]);
  expect(checkpoint.changes).toMatchObject([{ path: 'a.txt', added: 0, removed: 1, afterSize: 0 }]);
});
