import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Outcome = 'passed' | 'failed' | 'skipped';
/** `failures` are the messages of its failed attempts. */
type Test = Outcome | { readonly outcome: Outcome; readonly failures: readonly string[] };

/** Writes a report like vitest's with these outcomes (file → name → outcome) into `top`, and returns its path. */
export function reportOf(top: string, files: Readonly<Record<string, Readonly<Record<string, Test>>>>): string {
  const testResults = Object.entries(files).map(([file, tests]) => ({
    name: join(top, file),
    status: Object.values(tests).includes('failed') ? 'failed' : 'passed',
    message: '',
    assertionResults: Object.entries(tests).map(([fullName, test]) => {
      if (typeof test === 'string') return { fullName, status: test, failureMessages: [] };
      return { fullName, status: test.outcome, failureMessages: test.failures };
    }),
  }));
  const path = join(top, 'report.json');
  writeFileSync(path, JSON.stringify({ success: !testResults.some((file) => file.status === 'failed'), testResults }));
  return path;
}
