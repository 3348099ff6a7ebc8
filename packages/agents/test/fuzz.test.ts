import { expect, test } from 'vitest';
import { parseEvent } from '../src/hook/read-event.ts';
import { AGENTS } from '../src/table.ts';
import { allTheWay, Chance, mangled, templates } from './fuzz.ts';

/** For any standard input: no crash, no hang, and nothing is written outside the store. */

const CASES = 10_000;
/** tests/system/hook-fuzz.test.ts runs all of them. */
const WHOLE = 200;
const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1_000_000);

test(`${CASES} events, mangled (SAVEPOINT_SEED=${seed})`, async () => {
  const chance = new Chance(seed);
  const all = templates('/nowhere/project');
  for (let index = 0; index < CASES; index++) {
    const [name, hint, event] = chance.one(all);
    const bytes = Buffer.from(mangled(event, chance));
    if (chance.below(20) === 0 && bytes.length > 0) bytes[chance.below(bytes.length)] = chance.below(256);
    const read = parseEvent(bytes);
    if ('problem' in read) continue;
    const parsed = AGENTS[name].parse(read.event, {}, hint);
    if (parsed.kind === 'ignored') continue;
    expect(parsed.session.length).toBeLessThanOrEqual(200);
    AGENTS[name].reply(parsed.nativeName, { kind: 'context', text: 'x' });
  }
  expect(({} as { tool_name?: unknown }).tool_name).toBeUndefined();
});

test(`${WHOLE} of them go all the way, and write nothing outside the store (SAVEPOINT_SEED=${seed})`, async () => {
  await allTheWay(WHOLE, seed);
}, 600_000);

test('huge and deeply nested events are answered', () => {
  expect(parseEvent(Buffer.from('['.repeat(100_000)))).toHaveProperty('problem');
  expect(parseEvent(Buffer.from(`{"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`))).toHaveProperty('problem');
  const huge = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(100 * 1024 * 1024, 0x78), Buffer.from('"}')]);
  expect(parseEvent(huge)).toHaveProperty('event');
  expect(parseEvent(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toHaveProperty('event');
  expect(parseEvent(Buffer.alloc(0))).toEqual({ problem: 'the event is empty' });
});
