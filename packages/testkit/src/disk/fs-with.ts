import type { Fs } from '@savepoint/core/ports';

/** Overrides some methods of a file system. `fs` may have private fields, so its own methods run on `fs` itself. */
export function fsWith(fs: Fs, own: Partial<Fs>): Fs {
  return new Proxy(fs, {
    get: (_, name: keyof Fs) => {
      const method: unknown = own[name] ?? fs[name];
      return typeof method === 'function' ? method.bind(fs) : method;
    },
  });
}
