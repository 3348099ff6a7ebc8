/**
 * A port for a place outside the store that holds bundles, such as a folder or a bucket. Several writers may use it at
 * the same time: a conditional write succeeds only if no other writer was faster.
 */

export interface BundleStore {
  /** Location of the store, for display. Never contains a secret. */
  readonly place: string;

  /** Lists everything whose key begins with `prefix`, sorted by key. @throws SavepointError BUNDLE_STORE */
  list(prefix: string, signal?: AbortSignal): Promise<readonly StoredItem[]>;

  /**
   * Reads all bytes of a key; null if it does not exist.
   * @param maxBytes longer contents are an error
   * @throws SavepointError BUNDLE_STORE
   */
  get(key: BundleKey, maxBytes: number, signal?: AbortSignal): Promise<StoredBytes | null>;

  /**
   * Writes everything or nothing.
   * @returns the new tag; null if the condition does not hold, in which case nothing was written
   * @throws SavepointError BUNDLE_STORE
   */
  put(key: BundleKey, bytes: Uint8Array, condition: PutCondition, signal?: AbortSignal): Promise<string | null>;

  /** Removes a key. A missing key is not an error. @throws SavepointError BUNDLE_STORE */
  remove(key: BundleKey, signal?: AbortSignal): Promise<void>;
}

export interface StoredItem {
  readonly key: BundleKey;
  readonly size: number;
}

export interface StoredBytes {
  readonly bytes: Buffer;
  /** Opaque value that changes with the bytes, to be passed back in a condition. */
  readonly tag: string;
}

/**
 * - `absent`: write only if the key does not exist
 * - `same`: write only if the key still has that tag
 * - `any`: write in any case
 */
export type PutCondition =
  | { readonly when: 'absent' }
  | { readonly when: 'same'; readonly tag: string }
  | { readonly when: 'any' };

declare const brand: unique symbol;

/** Components joined by `/`, of letters, digits, `.`, `_` and `-`: valid in a folder and in a bucket alike. */
export type BundleKey = string & { readonly [brand]: 'BundleKey' };

const KEY = /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,199}){0,7}$/;

export function isBundleKey(text: string): text is BundleKey {
  return KEY.test(text);
}
