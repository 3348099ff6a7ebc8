import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a transcript. It is removed when the test ends. @returns its path */
export function transcriptFile(content: string | Buffer = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-transcript-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 's.jsonl');
  writeFileSync(path, content);
  return path;
}
