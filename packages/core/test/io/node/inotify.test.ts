import { seededRandom } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { IN, parseEvents } from '../../../src/io/node/inotify.ts';

function event(watch: number, mask: number, name: string, padding = 16): Buffer {
  const room = name === '' ? 0 : Math.ceil((name.length + 1) / padding) * padding;
  const bytes = Buffer.alloc(16 + room);
  bytes.writeInt32LE(watch, 0);
  bytes.writeUInt32LE(mask, 4);
  bytes.writeUInt32LE(room, 12);
  bytes.write(name, 16, 'latin1');
  return bytes;
}

const whole = (...events: readonly Buffer[]) => {
  const bytes = Buffer.concat(events);
  return parseEvents(Buffer.concat([bytes, Buffer.alloc(64, 0xff)]), bytes.length);
};

test('reads names of any length and bytes, and events without one', () => {
  const names = ['a', 'n'.repeat(15), 'n'.repeat(16), 'n'.repeat(255), '\xff\n'];
  const events = whole(event(-1, IN.overflow, ''), ...names.map((name) => event(7, IN.create | IN.isFolder, name)));
  expect(events).toEqual([
    { watch: -1, mask: IN.overflow, name: '' },
    ...names.map((name) => ({ watch: 7, mask: IN.create | IN.isFolder, name })),
  ]);
  expect(whole()).toEqual([]);
});

test('does not guess at unknown events', () => {
  const good = event(1, IN.modify, 'file');
  expect(whole(good.subarray(0, 15))).toBeNull();
  expect(whole(good, good.subarray(0, 20))).toBeNull();
  expect(whole(event(1, IN.modify | 0x1, 'file'))).toBeNull();
  expect(whole(event(1, 0x8000_0000, 'file'))).toBeNull();
  // A name without an end inside its event.
  expect(whole(Buffer.concat([good.subarray(0, 16), Buffer.alloc(16, 'x')]), good)).toBeNull();
});

test('any bytes are parsed as events or refused, and nothing else happens', () => {
  const random = seededRandom(Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1e9));
  for (let round = 0; round < 2000; round++) {
    const bytes = Buffer.concat([event(1, IN.create, 'name'), event(2, IN.delete, 'other')]);
    for (let flips = 0; flips < 1 + (round % 4); flips++) {
      bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256);
    }
    const events = parseEvents(bytes, bytes.length);
    if (events !== null) expect(events.length).toBeLessThanOrEqual(4);
  }
});
