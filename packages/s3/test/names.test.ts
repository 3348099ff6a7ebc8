import { bucketFromEnvironment, bucketOf } from '@savepoint/s3';
import { expect, test } from 'vitest';
import { elementsIn, textIn } from '../src/xml.ts';

/** What is decided before a server is asked. The rest is tested with a real server (tests/system/bucket). */

test('a place is a bucket with or without a prefix, and nothing else', () => {
  expect(bucketOf('s3://backups', null, null)).toEqual({
    name: 'backups',
    prefix: '',
    endpoint: null,
    region: 'us-east-1',
  });
  expect(bucketOf('s3://my.bucket-1/team/a_b/', 'https://s3.example.org', 'eu-1')).toMatchObject({
    name: 'my.bucket-1',
    prefix: 'team/a_b',
    region: 'eu-1',
  });
  for (const wrong of [
    '',
    's3://',
    's3://A',
    's3://x',
    's3://ok1/../x',
    's3://ok1/a b',
    's3://ok1?x',
    'http://ok1/x',
  ]) {
    expect(bucketOf(wrong, null, null), wrong).toBeNull();
  }
});

test('the key is read from the environment, and a missing one is reported without secrets', () => {
  const place = { to: 's3://backups', endpoint: null, region: null };
  const store = bucketFromEnvironment(place, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'tok-secret' });
  expect(store.place).toBe('s3://backups');
  expect(() => bucketFromEnvironment(place, { AWS_SECRET_ACCESS_KEY: 'tok-secret' })).toThrow(
    expect.objectContaining({ code: 'BUNDLE_STORE', message: expect.not.stringContaining('tok-secret') }),
  );
});

test('text of a response is decoded with its entities, and truncated text is not', () => {
  const xml = '<L><C><Key>a&amp;b&#x2F;c&#33;</Key></C><C><Key>d</Key></C><C><Key>e</K';
  expect(elementsIn(xml, 'C').map((one) => textIn(one, 'Key'))).toEqual(['a&b/c!', 'd']);
  expect(textIn(xml, 'Code')).toBeNull();
});
