import { AGENTS } from '@savepoint/agents';
import { expect, test } from 'vitest';
import { agentOfShell } from '../src/agent-shell.ts';

test('the variable of each agent names it, several name none of them, and other environments no agent', () => {
  for (const { name, shell } of Object.values(AGENTS)) {
    if (shell !== undefined) expect([name, agentOfShell({ [shell.any]: '1' })]).toEqual([name, name]);
  }
  expect(agentOfShell({ CLAUDECODE: '1', GEMINI_CLI: '1' })).toBe('unknown');
  expect(agentOfShell({ CLAUDECODE: '0', GEMINI_CLI: '', PATH: '/bin' })).toBeNull();
});
