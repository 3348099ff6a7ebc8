import type { Fs } from '@savepoint/core/ports';

/** A file system with some methods of its own; `fs` may keep its state in private fields, so its methods run on itself. */
export function fsWith(fs: Fs, own: Partial<Fs>): Fs {
  return new Proxy(fs, {
    get: (_, name: keyof Fs) => {
      const method: unknown = own[name] ?? fs[name];
      return typeof method === 'function' ? method.bind(fs) : method;
    },
  });
}
