import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hookCommand } from '../src/settings/hook-command.ts';

test.skipIf(process.platform === 'win32')(
  'settings of a project name `savepoint` only where a shell may run it',
  () => {
    const base = mkdtempSync(join(tmpdir(), 'savepoint-path-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const script = join(base, 'savepoint.js');
    writeFileSync(script, '#!/usr/bin/env node\n', { mode: 0o644 });
    mkdirSync(join(base, 'bin'));
    symlinkSync(script, join(base, 'bin/savepoint'));
    const program = { node: '/usr/bin/node', script, path: join(base, 'bin'), windows: false };
    expect(hookCommand('claude', 'project', program).argv).toEqual(['/usr/bin/node', script, 'hook', 'claude']);
    chmodSync(script, 0o755);
    expect(hookCommand('claude', 'project', program).argv).toEqual(['savepoint', 'hook', 'claude']);
    expect(hookCommand('claude', 'user', program).argv).toEqual(['/usr/bin/node', script, 'hook', 'claude']);
  },
);
