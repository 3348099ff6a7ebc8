/** The list of codes also defines the type of `data`: the lines marked as wrong must not compile. */
import { describe, expect, test } from 'vitest';
import { type ErrorData, SavepointError } from '../../src/model/errors.ts';

function thrown(error: SavepointError): unknown {
  return error;
}

describe('the data of an error', () => {
  test('is checked where an error is created', () => {
    expect(new SavepointError('CANCELLED', 'Stopped.').data).toEqual({});
    expect(new SavepointError('LOCKED', 'Held.', { pid: 1, state: 'running', waitedMs: 2 }).data.pid).toBe(1);
    // @ts-expect-error `paths` is required
    new SavepointError('CONFLICT', 'In the way.');
    // @ts-expect-error `given` is a string
    new SavepointError('BAD_ID', 'No id.', { given: 1 });
    // @ts-expect-error there is no such field
    new SavepointError('BAD_ID', 'No id.', { given: 'x', other: 1 });
    // @ts-expect-error there is no such reason
    const why: ErrorData<'ROOT_REFUSED'>['why'] = 'other';
    expect(why).toBe('other');
  });

  test('has the type that belongs to the code', () => {
    const error = thrown(new SavepointError('NO_WORKSPACE', 'None.', { folder: '/a', exists: true }));
    if (!(error instanceof SavepointError) || error.code !== 'NO_WORKSPACE') throw error;
    const exists: boolean | undefined = error.data.exists;
    // @ts-expect-error that field is of another code
    expect(error.data.waitedMs).toBeUndefined();
    // @ts-expect-error there is no such code
    expect(error.code === 'NO_WORKSPCE').toBe(false);
    expect(exists).toBe(true);
  });

  test('is in JSON without its details, which are a separate key', () => {
    const details = [{ file_path: 'a', code: 'CHANGED', message: 'It changed.', edit_status: [] }];
    const error = new SavepointError('CONFLICT', 'Changed.', { paths: [], details }, { hint: 'Look again.' });
    expect(error.toJSON()).toStrictEqual({
      code: 'CONFLICT',
      message: 'Changed.',
      data: { paths: [] },
      hint: 'Look again.',
      details,
    });
    expect(new SavepointError('CANCELLED', 'Stopped.').toJSON()).toStrictEqual({
      code: 'CANCELLED',
      message: 'Stopped.',
      data: {},
      hint: 'Nothing was changed.',
    });
  });

  test('is printed with the name of the class', () => {
    const error = new SavepointError('CANCELLED', 'Stopped.');
    expect([error.name, error.constructor.name, error.exit, String(error)]).toEqual([
      'SavepointError',
      'SavepointError',
      1,
      'SavepointError: Stopped.',
    ]);
  });
});
