import { FsBench, type FsUnderTest } from './conformance-bench.ts';
import { FILE_CASES } from './conformance-files.ts';
import { NAME_CASES } from './conformance-names.ts';

export type { FsUnderTest } from './conformance-bench.ts';

export interface ConformanceCase {
  readonly name: string;
  run(): void | Promise<void>;
}

/**
 * Conformance cases for every driver of the Fs port. Register them with any test runner:
 * `for (const { name, run } of fsConformance(make)) test(name, run);`
 *
 * @param make called once per case; must return an empty folder, a different one each time
 */
export function fsConformance(make: () => FsUnderTest): readonly ConformanceCase[] {
  return Object.entries({ ...FILE_CASES, ...NAME_CASES }).map(([name, check]) => ({
    name,
    run: () => check(new FsBench(make())),
  }));
}
