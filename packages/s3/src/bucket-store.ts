/**
 * Bundles in a bucket, through the Amazon S3 protocol. The server checks write conditions and answers 412 if one fails.
 */

import { SavepointError, showText } from '@savepoint/core';
import {
  type BundleKey,
  type BundleStore,
  isBundleKey,
  type PutCondition,
  type StoredBytes,
  type StoredItem,
} from '@savepoint/core/ports';
import { AwsClient } from 'aws4fetch';
import { elementsIn, textIn } from './xml.ts';

export interface Bucket {
  readonly name: string;
  /** Prepended to each key, without leading and trailing slashes; '' for no prefix. */
  readonly prefix: string;
  /** For example `https://s3.eu-central-1.amazonaws.com`; null for Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  readonly region: string;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const DEFAULT_REGION = 'us-east-1';
/** Timeout of one request in milliseconds. Bundles may be large and connections slow. */
const REQUEST_MS = 10 * 60_000;
/** Attempts for a conditional write that fails with a server error. */
const MAX_ATTEMPTS = 5;
const MAX_PAGES = 10_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** 409: another conditional write of the same key was in progress. */
const CONFLICT = 409;
const CONDITION_FAILED = 412;
/** Errors with status 400. */
const OLD_CREDENTIALS: ReadonlySet<string> = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired']);

/**
 * Parses `s3://bucket/prefix`; endpoint and region come from the configuration or the environment. Returns null if it
 * is not a bucket.
 */
export function bucketOf(place: string, endpoint: string | null, region: string | null): Bucket | null {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9._-]+)*)\/?$/.exec(place);
  const [, name, path = ''] = found ?? [];
  if (name === undefined || /(^|\/)\.\.?(\/|$)/.test(path)) return null;
  return { name, prefix: path.slice(1), endpoint, region: region ?? DEFAULT_REGION };
}

export class BucketStore implements BundleStore {
  readonly place: string;
  readonly #client: AwsClient;
  readonly #baseUrl: string;
  /** Whether the server compares tags without their quotes. */
  #bareTags = false;

  constructor(
    private readonly bucket: Bucket,
    credentials: S3Credentials,
  ) {
    const { name, prefix, endpoint, region } = bucket;
    this.place = `s3://${name}${prefix === '' ? '' : `/${prefix}`}`;
    const host = endpoint ?? `https://s3.${region}.amazonaws.com`;
    this.#baseUrl = `${host.replace(/\/+$/, '')}/${name}`;
    // The caller decides how often and how long to retry.
    this.#client = new AwsClient({ ...credentials, service: 's3', region, retries: 0 });
  }

  async list(prefix: string, signal?: AbortSignal): Promise<readonly StoredItem[]> {
    const items: StoredItem[] = [];
    let token: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = new URLSearchParams({ 'list-type': '2', prefix: this.#fullKey(prefix) });
      if (token !== null) query.set('continuation-token', token);
      const answer = await this.#request('GET', `?${query}`, {}, null, signal);
      if (answer.status !== 200) throw await this.#refusal(answer, `list ${this.place}`);
      const xml = (await this.#readBody(answer, MAX_ANSWER_BYTES)).toString('utf8');
      for (const content of elementsIn(xml, 'Contents')) {
        const key = this.#keyOf(textIn(content, 'Key') ?? '');
        if (key !== null) items.push({ key, size: Number(textIn(content, 'Size') ?? 0) });
      }
      token = textIn(xml, 'IsTruncated') === 'true' ? textIn(xml, 'NextContinuationToken') : null;
      if (token === null) return items.sort((a, b) => (a.key < b.key ? -1 : 1));
    }
    throw this.#failure('The list of the bucket does not end', 0);
  }

  async get(key: BundleKey, mostBytes: number, signal?: AbortSignal): Promise<StoredBytes | null> {
    const answer = await this.#request('GET', this.#path(key), {}, null, signal);
    if (answer.status === 404 && !(await this.#isBucketMissing(answer))) return null;
    if (answer.status !== 200) throw await this.#refusal(answer, `get ${key}`);
    const tag = answer.headers.get('etag');
    if (tag === null) throw this.#failure(`The server gives ${key} no tag`, answer.status);
    return { bytes: await this.#readBody(answer, mostBytes), tag };
  }

  async put(key: BundleKey, bytes: Uint8Array, condition: PutCondition, signal?: AbortSignal): Promise<string | null> {
    if (condition.when !== 'same') {
      return this.#put(key, bytes, condition.when === 'absent' ? { 'if-none-match': '*' } : {}, signal);
    }
    const { tag } = condition;
    const written = await this.#put(key, bytes, { 'if-match': this.#bareTags ? unquoted(tag) : tag }, signal);
    if (written !== null || this.#bareTags || unquoted(tag) === tag) return written;
    // Some servers compare tags without their quotes. The bare tag is just as safe, because it is still a condition.
    const existing = await this.#request('HEAD', this.#path(key), {}, null, signal);
    if (existing.headers.get('etag') !== tag) return null;
    this.#bareTags = true;
    return this.#put(key, bytes, { 'if-match': unquoted(tag) }, signal);
  }

  async #put(
    key: BundleKey,
    bytes: Uint8Array,
    condition: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    const headers = { 'content-type': 'application/octet-stream', ...condition };
    const isConditional = Object.keys(condition).length > 0;
    let answer = await this.#request('PUT', this.#path(key), headers, bytes, signal);
    // A server error during a race may hide a successful write. Retrying with the condition cannot overwrite another
    // write.
    for (let tries = 1; isConditional && answer.status >= 500 && tries < MAX_ATTEMPTS; tries++) {
      await answer.body?.cancel();
      const existing = await this.get(key, Math.max(bytes.length, MAX_ANSWER_BYTES), signal);
      if (existing?.bytes.equals(bytes) === true) return existing.tag;
      answer = await this.#request('PUT', this.#path(key), headers, bytes, signal);
    }
    if (isConditional && (answer.status === CONDITION_FAILED || answer.status === CONFLICT)) {
      await answer.body?.cancel();
      return null;
    }
    // The object was deleted, so it is no longer the same.
    if (isConditional && answer.status === 404 && !(await this.#isBucketMissing(answer))) return null;
    if (answer.status !== 200) throw await this.#refusal(answer, `put ${key}`);
    await answer.body?.cancel();
    const tag = answer.headers.get('etag');
    if (tag === null) throw this.#failure(`The server gives ${key} no tag`, answer.status);
    return tag;
  }

  async remove(key: BundleKey, signal?: AbortSignal): Promise<void> {
    const answer = await this.#request('DELETE', this.#path(key), {}, null, signal);
    if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404) {
      throw await this.#refusal(answer, `remove ${key}`);
    }
    await answer.body?.cancel();
  }

  async #request(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | null,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const limit = AbortSignal.timeout(REQUEST_MS);
    try {
      return await this.#client.fetch(`${this.#baseUrl}${path}`, {
        method,
        headers,
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body === null ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
    } catch (cause) {
      if (signal?.aborted === true) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
      throw this.#failure(`${this.place} cannot be reached (${reasonOf(cause)})`, 0, cause);
    }
  }

  async #readBody(answer: Response, mostBytes: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const piece of answer.body ?? []) {
        length += piece.length;
        if (length > mostBytes) break;
        pieces.push(piece);
      }
    } catch (cause) {
      throw this.#failure(`The connection to ${this.place} was lost (${reasonOf(cause)})`, answer.status, cause);
    }
    if (length > mostBytes)
      throw this.#failure(`${this.place} answers with more than ${mostBytes} bytes`, answer.status);
    return Buffer.concat(pieces);
  }

  /** A missing bucket has the same status as a missing object. */
  async #isBucketMissing(answer: Response): Promise<boolean> {
    const xml = (await this.#readBody(answer.clone(), MAX_ANSWER_BYTES)).toString('utf8');
    return textIn(xml, 'Code') === 'NoSuchBucket';
  }

  async #refusal(answer: Response, what: string): Promise<SavepointError> {
    const xml = (await this.#readBody(answer, MAX_ANSWER_BYTES)).toString('utf8');
    const code = textIn(xml, 'Code') ?? `status ${answer.status}`;
    const message = `${this.place} refused to ${what} (${showText(code.slice(0, 200))})`;
    if (answer.status !== 401 && answer.status !== 403 && !OLD_CREDENTIALS.has(code))
      return this.#failure(message, answer.status);
    const data = { place: this.place, status: answer.status, why: 'credentials' } as const;
    const hint =
      'Nothing was lost. The next checkpoint of a process with valid credentials exports all of them; `savepoint bundle ' +
      'export` exports them now.';
    return new SavepointError('BUNDLE_STORE', `${message}. Check the credentials.`, data, { hint });
  }

  #failure(message: string, status: number, cause?: unknown): SavepointError {
    return new SavepointError('BUNDLE_STORE', `${message}.`, { place: this.place, status }, { cause });
  }

  #fullKey(key: string): string {
    return this.bucket.prefix === '' ? key : `${this.bucket.prefix}/${key}`;
  }

  #path(key: BundleKey): string {
    if (!isBundleKey(key)) throw this.#failure(`Not a key: ${JSON.stringify(key)}`, 0);
    return `/${this.#fullKey(key)}`;
  }

  /** Returns null for objects that Savepoint did not write. */
  #keyOf(named: string): BundleKey | null {
    const top = this.#fullKey('');
    const key = named.startsWith(top) ? named.slice(top.length) : '';
    return isBundleKey(key) ? key : null;
  }
}

function unquoted(tag: string): string {
  return tag.replace(/^"(.*)"$/s, '$1');
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { readonly code?: unknown } | null)?.code;
  return showText(typeof code === 'string' ? code : cause instanceof Error ? cause.message : String(cause));
}
