import { expect, test } from 'vitest';
import { writtenText } from '../src/written.ts';

/** What file tools report to write. */

test.each(['replace_all', 'replaceAll', 'allow_multiple'])('every occurrence is replaced with %s', (name) => {
  const written = writtenText('f', { old_string: 'a', new_string: 'b', [name]: true }, {});
  expect(written?.result).toEqual([{ old: 'a', new: 'b', all: true }]);
});
