import { SimDisk, simPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { ObjectId } from '../../src/model/ids.ts';
import type { DiskPath } from '../../src/model/names.ts';
import { Secrets } from '../../src/purge/secrets.ts';
import { ObjectStore } from '../../src/store/objects/object-store.ts';

function secretsOf(...contents: readonly (string | Buffer)[]): Secrets {
  const store = ObjectStore.create(simPorts(new SimDisk()), '/objects.git' as DiskPath);
  const batch = store.batch();
  const ids = contents.map((content): ObjectId => batch.add('blob', Buffer.from(content)));
  return new Secrets(batch, ids);
}

test('a line is found in a text, with any line ending and any text around it', () => {
  const secrets = secretsOf('API_KEY=sk-12345\r\n  password: "hunter22"\n');
  expect(secrets.isMentionedIn('use API_KEY=sk-12345, please')).toBe(true);
  expect(secrets.isMentionedIn('password: "hunter22"')).toBe(true);
  expect(secrets.isMentionedIn('API_KEY=sk-1234')).toBe(false);
  expect(secrets.isMentionedIn('')).toBe(false);
});

test('also escaped as in JSON', () => {
  const secrets = secretsOf('say "12345678"\tC:\\keys\n');
  expect(secrets.isMentionedIn(JSON.stringify({ command: 'say "12345678"\tC:\\keys' }))).toBe(true);
});

test('a line of fewer than eight characters is not searched for', () => {
  expect(secretsOf('1234567\n}\n').isMentionedIn('1234567 }')).toBe(false);
  expect(secretsOf('12345678\n').isMentionedIn('12345678')).toBe(true);
  expect(secretsOf('       1234567       \n').isMentionedIn('       1234567       ')).toBe(false);
});

test('a complete content is found in the bytes of a file, also one that is not text', () => {
  const bytes = Buffer.from([0, 1, 2, 0xff, 0xfe, 5, 6, 7, 8]);
  const secrets = secretsOf(bytes, 'first line\nsecond line\n');
  expect(secrets.isContainedIn(`before${bytes.toString('latin1')}after`)).toBe(true);
  expect(secrets.isContainedIn(bytes.subarray(1).toString('latin1'))).toBe(false);
  expect(secrets.isContainedIn('first line\nsecond line\n')).toBe(true);
  expect(secrets.isContainedIn('first line\n')).toBe(false);
  // Binary content has no lines that could appear in a text.
  expect(secrets.isMentionedIn(bytes.toString('utf8'))).toBe(false);
});

test('contents under eight bytes and over one mebibyte are searched only by their ids', () => {
  const large = `the one line${' and more'.repeat(2 ** 17)}\n`;
  const secrets = secretsOf('1234567', large);
  expect(secrets.isContainedIn('1234567')).toBe(false);
  expect(secrets.isContainedIn(large)).toBe(false);
  expect(secretsOf('x'.repeat(2 ** 20)).isContainedIn('x'.repeat(2 ** 20))).toBe(true);
});
