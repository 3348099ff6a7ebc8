import { existsSync, readdirSync } from 'node:fs';
import type { DiskPath } from '@savepoint/core';
import { expect, onTestFinished, test } from 'vitest';
import { fakeProcesses, fixedClock, realPorts, SimDisk, seededRandom, simPorts, world } from '../src/index.ts';

test('the fixed clock moves on request, and when a caller sleeps', async () => {
  const clock = fixedClock(5000);
  expect([clock.now(), clock.monotonic()]).toEqual([5000, 0]);
  clock.advance(10);
  await clock.sleep(5);
  await clock.turn();
  expect([clock.now(), clock.monotonic()]).toEqual([5015, 15]);
  clock.setWallClock(1);
  expect([clock.now(), clock.monotonic()]).toEqual([1, 15]);
});

test('seeded random numbers are reproducible, cover their range and do not repeat in a sample', () => {
  const draw = (seed: number): string => {
    const random = seededRandom(seed);
    return JSON.stringify([random.hex(8), random.next(), random.sample([1, 2, 3, 4, 5], 3), random.bytes(4)]);
  };
  expect(draw(7)).toBe(draw(7));
  expect(draw(7)).not.toBe(draw(8));
  const random = seededRandom(1);
  expect(random.hex(3)).toMatch(/^[0-9a-f]{6}$/);
  const drawn = Array.from({ length: 1000 }, () => random.integer(10));
  expect(new Set(drawn).size).toBe(10);
  expect(Math.min(...drawn)).toBe(0);
  expect(Math.max(...drawn)).toBe(9);
  for (const count of [0, 3, 5, 9]) {
    const sample = random.sample(['a', 'b', 'c', 'd', 'e'], count);
    expect(new Set(sample).size).toBe(Math.min(count, 5));
  }
  expect(() => random.pick([])).toThrow('nothing to pick from');
});

test('fake processes live and die as the test demands, visible everywhere on their machine', () => {
  const own = fakeProcesses();
  expect(own.state(own.self())).toBe('alive');
  const other = own.start();
  const theirs = own.seenBy(other);
  expect(theirs.self()).toEqual(other);
  expect(own.state(other)).toBe('alive');
  theirs.set(own.self(), 'stopped');
  expect(theirs.state(own.self())).toBe('stopped');
  own.set(other, 'dead');
  expect(own.state(other)).toBe('dead');
  expect(own.state({ ...own.self(), startedAt: '1' })).toBe('dead');
  expect(own.state(own.start({ pidNamespace: 'pid:[2]' }))).toBe('unknown');
  expect(own.state(own.start({ host: 'elsewhere', bootId: 'other' }))).toBe('unknown');
  expect(own.state({ ...other, bootId: 'earlier' })).toBe('dead');
});

test('a world is empty, private, and gone afterwards', () => {
  let remove: (() => void) | null = null;
  const w = world((atEnd) => {
    remove = atEnd;
  });
  expect(readdirSync(w.workspace)).toEqual([]);
  expect(readdirSync(w.places.home)).toEqual([]);
  expect(w.ports.fs.realpath(w.workspace)).toBe(w.workspace);
  expect(w.env['HOME']?.startsWith(w.folder)).toBe(true);
  expect(w.env['SAVEPOINT_HOME']).toBe(w.places.home);
  expect(remove).toBe(w.remove);
  w.remove();
  expect(existsSync(w.folder)).toBe(false);
  expect(world(onTestFinished).folder).not.toBe(w.folder);
});

test('ports may be replaced one by one', () => {
  const disk = new SimDisk();
  const ports = simPorts(disk, { seed: 3, platform: 'darwin' });
  expect(ports.fs).toBe(disk);
  expect(ports.platform).toBe('darwin');
  expect(ports.random.hex(4)).toBe(simPorts(disk, { seed: 3 }).random.hex(4));
  expect(ports.random.hex(4)).not.toBe(simPorts(disk, { seed: 4 }).random.hex(4));
  const clock = fixedClock();
  const real = realPorts({ clock });
  expect(real.clock).toBe(clock);
  expect(real.fs.lstat(world(onTestFinished).folder as DiskPath)).not.toBeNull();
});
