/** `savepoint plan mode` through the binary. */

import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

it('says for whom it is on, and what it cannot hold back', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  expect(p.ok('plan', 'mode').stdout).toBe('Plan mode is off.\n');
  const bare = p.ok('plan', 'mode', 'on').stdout;
  expect(bare).toMatch(/^Plan mode is on for all sessions, since /);
  expect(bare).toContain('edits and shell commands run as always. Run `savepoint install`');
  expect(bare).not.toContain('are refused');
  p.ok('checkpoint');
  expect(p.ok('status').stdout).toContain('Plan mode is on: agents only propose their edits');

  p.ok('install', 'claude', '--project');
  p.ok('install', 'codex', '--project');
  p.ok('install', 'cursor', '--project');
  const hooked = p.ok('plan', 'mode').stdout;
  expect(hooked).toContain('Shell commands, and tools that may write anywhere, are refused.');
  expect(hooked).toContain('Claude Code: its edits of files become a plan.\n');
  expect(hooked).toMatch(/OpenAI Codex: It reads files by shell commands.*`savepoint run --isolated --plan -- codex`/);
  expect(hooked).toContain('Cursor: It reports some edits only after it made them');
  expect(JSON.parse(p.ok('plan', 'mode', '--json').stdout)).toMatchObject({ sessions: [], agents: [{}, {}, {}] });

  expect(p.ok('plan', 'mode', 'off').stdout).toBe('Plan mode is off.\n');
  expect(p.ok('status').stdout).not.toContain('Plan mode');
});

it('takes nothing but on and off, and only from a person', () => {
  const p = project();
  p.ok('checkpoint');
  expect(p.run(['plan', 'mode', 'maybe'])).toMatchObject({ status: 2 });
  expect(p.run(['plan', 'mode', '--session', 's'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('on or off'),
  });
  for (const mode of ['on', 'off']) {
    const refused = p.run(['plan', 'mode', mode], { env: { CLAUDECODE: '1' } });
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain('Only a person may run `savepoint plan mode on/off`');
  }
});
