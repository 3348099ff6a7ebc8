/** Members of the language itself and of common platforms. They may be meant wherever a name is used. */
export const JAVASCRIPT_MEMBERS: ReadonlySet<string> = new Set(
  [
    ...[
      Object,
      Function,
      Array,
      String,
      Number,
      Boolean,
      Symbol,
      Map,
      Set,
      WeakMap,
      WeakSet,
      Promise,
      RegExp,
      Date,
      Error,
    ],
    ...[Math, JSON, Reflect, Proxy, ArrayBuffer, Uint8Array, DataView, BigInt, URL, URLSearchParams, TextDecoder, Intl],
    ...[AbortController, AbortSignal, Event, EventTarget, Response, Request, Headers, ReadableStream, Blob, FormData],
  ].flatMap((of) => [
    ...Object.getOwnPropertyNames(of),
    ...('prototype' in of ? Object.getOwnPropertyNames(of.prototype ?? {}) : []),
  ]),
);
