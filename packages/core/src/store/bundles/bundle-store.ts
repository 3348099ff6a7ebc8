/**
 * A place away from this machine where bundles lie, as a port: a folder, a bucket. Nobody is alone there: what is written
 * under a condition happens only where nobody else was faster.
 */

export interface BundleStore {
  /** For people: where it is. Never holds a secret. */
  readonly place: string;

  /** Everything whose key begins so, in the order of the keys. @throws SavepointError BUNDLE_STORE */
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredItem[]>;

  /**
   * All of it, or null where there is no such key.
   * @param maxBytes what is longer is a failure
   * @throws SavepointError BUNDLE_STORE
   */
  get(key: BundleKey, maxBytes: number, signal?: AbortSignal): Promise<StoredBytes | null>;

  /**
   * Writes all of it, or nothing.
   * @returns its new tag; null where the condition does not hold, and nothing was written
   * @throws SavepointError BUNDLE_STORE
   */
  put(key: BundleKey, bytes: Uint8Array, condition: PutCondition, signal?: AbortSignal): Promise<string | null>;

  /** Nothing there is fine. @throws SavepointError BUNDLE_STORE */
  remove(key: BundleKey, signal?: AbortSignal): Promise<void>;
}

export interface StoredItem {
  readonly key: BundleKey;
  readonly size: number;
}

export interface StoredBytes {
  readonly bytes: Buffer;
  /** Changes with the bytes; only to be given back. */
  readonly tag: string;
}

/**
 * - `absent`: only where nothing has that key
 * - `same`: only where it still has that tag
 * - `any`: whatever is there
 */
export type PutCondition =
  | { readonly when: 'absent' }
  | { readonly when: 'same'; readonly tag: string }
  | { readonly when: 'any' };

declare const brand: unique symbol;

/** Names joined by `/`, of letters, digits, `.`, `_` and `-`: the same in a folder and in a bucket. */
export type BundleKey = string & { readonly [brand]: 'BundleKey' };

const KEY = /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,199}){0,7}$/;

export function isBundleKey(text: string): text is BundleKey {
  return KEY.test(text);
}
