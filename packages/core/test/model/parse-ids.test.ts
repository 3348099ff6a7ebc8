import { describe, expect, test } from 'vitest';
import { SavepointError } from '../../src/model/errors.ts';
import type { CallId, SessionId } from '../../src/model/ids.ts';
import { parseCallId, parseSessionId } from '../../src/model/parse-ids.ts';

describe('an id from an agent', () => {
  test.each(['s', 'toolu_01 with spaces', '../../etc', '\u{1f600}', 'x'.repeat(1_000)])('may be %j', (given) => {
    expect(parseSessionId(given)).toBe(given);
    expect(parseCallId(given)).toBe(given);
  });

  test.each([['', 'is empty'] as const, ['x'.repeat(1_001), 'has 1001 characters'] as const])(
    'is refused if no bundle could contain it (%#)',
    (given, why) => {
      for (const [what, read] of [['session', parseSessionId] as const, ['call', parseCallId] as const]) {
        expect(() => read(given)).toThrow(SavepointError);
        expect(() => read(given)).toThrow(`The id of a ${what} ${why}`);
      }
    },
  );

  test('has a type of its own', () => {
    const session: SessionId = parseSessionId('s');
    // @ts-expect-error a session is not a call
    const call: CallId = session;
    // @ts-expect-error a plain string is not an id
    const other: SessionId = 's';
    expect([call, other]).toEqual(['s', 's']);
  });
});
