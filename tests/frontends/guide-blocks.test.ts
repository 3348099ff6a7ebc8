/** The commands and settings of the guides and of the reference, as a reader pastes them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, test } from 'vitest';
import { blocksOf, pathWithCommand } from './document-blocks.ts';

function sh(p: Project, lines: string): string {
  const env = { ...p.environment(), PATH: pathWithCommand(join(p.base, 'bin')) };
  return execFileSync('sh', ['-ec', lines], { cwd: p.dir, env, encoding: 'utf8', input: '' });
}

test('the commands of the guides run', () => {
  const p = project();
  p.write('src/a.ts', 'export {};\n'.repeat(15));
  p.checkpoint();
  for (const [page, count] of [
    ['docs/agents.md', 3],
    ['docs/daemon.md', 1],
  ] as const) {
    // `trust` and `plan review` ask a person.
    const blocks = blocksOf(page, 'sh').filter((one) => !/savepoint (?:trust|plan review)/.test(one));
    expect(blocks.length).toBe(count);
    for (const block of blocks) expect(sh(p, block)).not.toBe('');
  }
});

test('the commands of the README for work with an agent run', async () => {
  const [block = '', another] = blocksOf('README.md', 'sh').filter((one) => one.includes('savepoint install'));
  expect(another).toBeUndefined();
  const p = project();
  p.write('src/app.ts', 'one\n');
  const session = open({ dir: p.dir, home: p.store }).session({ agent: 'claude' });
  await session.prompt('Two.');
  await session.call({ tool: 'Write', kind: 'write', paths: ['src/app.ts'] }, () => p.write('src/app.ts', 'two\n'));
  const printed = sh(p, block.replace(/^(savepoint rollback [^#]*)/m, '$1 --likely --yes '));
  for (const text of ['Two.', 'src/app.ts', 'Rolled back']) expect(printed).toContain(text);
  expect(p.read('src/app.ts')).toBe('one\n');
});

test('the settings of the guide are in effect', () => {
  const blocks = blocksOf('docs/configuration.md', 'json');
  expect(blocks.length).toBe(2);
  for (const block of blocks) {
    const p = project();
    p.write('a.txt', 'a\n');
    mkdirSync(p.store, { recursive: true, mode: 0o700 });
    writeFileSync(join(p.store, 'config.json'), block, { mode: 0o600 });
    const shown = p.ok('config').stdout;
    for (const key of Object.keys(JSON.parse(block))) expect(shown).toContain(key);
  }
});

test('the settings of MCP clients start the server', () => {
  const started = [...blocksOf('docs/reference/mcp.md', 'json').map((block) => JSON.parse(block))].map((json) => {
    const { command, args = [] } = json.mcpServers?.savepoint ?? json.mcp.savepoint;
    return [command, args].flat() as string[];
  });
  const [toml = ''] = blocksOf('docs/reference/mcp.md', 'toml');
  const [, command = '', args = ''] = /^command = (.*)\nargs = (.*)$/m.exec(toml) ?? [];
  started.push([JSON.parse(command), ...JSON.parse(args)]);
  const shells = blocksOf('docs/reference/mcp.md', 'sh').map((block) => block.replace('/path/to/project', '.').trim());
  const lines = [...started.map((words) => words.join(' ')), ...shells.map((line) => line.replace(/^.* -- /, ''))];
  expect(lines).toEqual(Array.from({ length: 7 }, () => 'savepoint mcp --root .'));
  // It ends with its input.
  expect(sh(project(), lines[0] ?? '')).toBe('');
});
