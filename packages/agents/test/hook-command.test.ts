import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hookCommand, isHookCommand } from '../src/settings/hook-command.ts';

test.skipIf(process.platform === 'win32')(
  'settings of a project name `savepoint` only where a shell may run it',
  () => {
    const base = mkdtempSync(join(tmpdir(), 'savepoint-path-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const script = join(base, 'savepoint.js');
    writeFileSync(script, '#!/usr/bin/env node\n', { mode: 0o644 });
    mkdirSync(join(base, 'bin'));
    symlinkSync(script, join(base, 'bin/savepoint'));
    const program = { node: '/usr/bin/node', script, hookScript: null, path: join(base, 'bin'), windows: false };
    expect(hookCommand('claude', 'project', program).argv).toEqual(['/usr/bin/node', script, 'hook', 'claude']);
    chmodSync(script, 0o755);
    expect(hookCommand('claude', 'project', program).argv).toEqual(['savepoint', 'hook', 'claude']);
    expect(hookCommand('claude', 'user', program).argv).toEqual(['/usr/bin/node', script, 'hook', 'claude']);
  },
);

test.skipIf(process.platform === 'win32')(
  'the script that asks the daemon precedes the command, where it can be run',
  () => {
    const base = mkdtempSync(join(tmpdir(), 'savepoint-path-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const [script, hookScript] = [join(base, 'savepoint.js'), join(base, "o'hook")];
    writeFileSync(script, '#!/usr/bin/env node\n', { mode: 0o755 });
    writeFileSync(hookScript, '#!/bin/sh\n', { mode: 0o644 });
    mkdirSync(join(base, 'bin'));
    symlinkSync(script, join(base, 'bin/savepoint'));
    const program = { node: '/usr/bin/node', script, hookScript, path: join(base, 'bin'), windows: false };
    const plain = `/usr/bin/node ${script} hook claude`;
    expect(hookCommand('claude', 'user', program).shell).toBe(plain);
    chmodSync(hookScript, 0o755);
    const quoted = `'${base}/o'\\''hook'`;
    expect(hookCommand('claude', 'user', program).shell).toBe(`${quoted} ${plain}`);
    expect(hookCommand('claude', 'user', program).forEvent('Stop').shell).toBe(`${quoted} ${plain} Stop`);
    expect(hookCommand('claude', 'user', program).powershell).toBe(plain);
    expect(hookCommand('claude', 'user', program).argv).toEqual([
      hookScript,
      '/usr/bin/node',
      script,
      'hook',
      'claude',
    ]);
    expect(hookCommand('claude', 'user', { ...program, windows: true }).shell).toBe(plain);
    // Shared settings name the hook script only if it is on PATH; otherwise they name the command alone.
    expect(hookCommand('claude', 'project', program).shell).toBe('savepoint hook claude');
    symlinkSync(hookScript, join(base, 'bin/savepoint-hook'));
    expect(hookCommand('claude', 'project', program).shell).toBe('savepoint-hook savepoint hook claude');
    for (const place of ['user', 'project'] as const) {
      expect(isHookCommand(hookCommand('claude', place, program).shell, 'claude')).toBe(true);
      expect(isHookCommand(hookCommand('claude', place, program).shell, 'codex')).toBe(false);
    }
  },
);
