import { expect, test } from 'vitest';
import { nodePorts } from '../../../src/io/node/ports.ts';

test('random text is hexadecimal, of the requested length, and different each time', () => {
  const { random } = nodePorts();
  expect(random.hex(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(random.hex(0)).toBe('');
  expect(new Set(Array.from({ length: 1000 }, () => random.hex(8))).size).toBe(1000);
});

test('the clock returns the time and only moves forward', async () => {
  const { clock } = nodePorts();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(60_000);
  let last = clock.monotonic();
  for (let turn = 0; turn < 20; turn++) {
    await clock.turn();
    const now = clock.monotonic();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
  await clock.sleep(5);
  expect(clock.monotonic()).toBeGreaterThan(last);
});

test('yielding lets other work run, also work that waits for the system', async () => {
  const { clock } = nodePorts();
  let ran = false;
  setImmediate(() => {
    ran = true;
  });
  await clock.turn();
  await clock.turn();
  expect(ran).toBe(true);
});

test('knows the platform and the user', () => {
  const ports = nodePorts();
  expect(['linux', 'darwin', 'win32']).toContain(ports.platform);
  expect(ports.uid).toBe(process.geteuid?.() ?? null);
});
