export { type Bucket, BucketStore, bucketOf, type S3Credentials } from './bucket-store.ts';
export { bucketFromEnvironment } from './from-environment.ts';
