/** Opens a bucket from the configuration and the environment, with the variable names of the AWS tools. */

import { SavepointError, showText } from '@savepoint/core';
import type { AutomaticExport } from '@savepoint/core/frontend';
import { BucketStore, bucketOf } from './bucket-store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws SavepointError BUNDLE_STORE if the place is not a bucket, or the environment has no credentials */
export function bucketFromEnvironment(
  { to, endpoint, region }: Pick<AutomaticExport, 'to' | 'endpoint' | 'region'>,
  env: Environment,
): BucketStore {
  const found = bucketOf(
    to,
    endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? null,
    region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? null,
  );
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const sessionToken = env['AWS_SESSION_TOKEN'];
  if (found === null) {
    throw new SavepointError('BUNDLE_STORE', `${showText(to)} is not a bucket.`, { place: to, status: 0 });
  }
  if (accessKeyId === '' || secretAccessKey === '') {
    const message = 'The environment has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
    throw new SavepointError('BUNDLE_STORE', message, { place: to, status: 0, why: 'credentials' });
  }
  return new BucketStore(found, {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
}
