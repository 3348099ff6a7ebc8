import { canonicalAgent, KNOWN_AGENTS } from '@savepoint/core/frontend';
import { expect, test } from 'vitest';

test.each([
  ['claude-code', 'claude'],
  ['Claude Code', 'claude'],
  ['gemini-cli-mcp-client', 'gemini'],
  ['gemini-cli-mcp-client-v1', 'gemini'],
  ['codex-mcp-client', 'codex'],
  ['copilot-cli', 'copilot'],
  ['github-copilot-developer', 'copilot'],
  ['opencode', 'opencode'],
  ['Cline', 'cline'],
  ['cursor-vscode', 'cursor'],
  ['Visual Studio Code', 'vscode'],
  ['Visual Studio Code - Insiders', 'vscode'],
])('%s is %s', (name, canonical) => {
  expect(canonicalAgent(name)).toBe(canonical);
});

test.each(['claude-ai', 'my agent', 'gemini', 'cop', 'copilot/x', ''])('%j keeps its own name', (name) => {
  expect(canonicalAgent(name)).toBe(name);
});

test('a canonical name is its own', () => {
  for (const name of KNOWN_AGENTS) expect(canonicalAgent(name)).toBe(name);
});
