import { readFileSync } from 'node:fs';
import { canonicalAgent, KNOWN_AGENTS } from '@savepoint/core/frontend';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../src/agent.ts';
import { fieldsOf } from '../src/fields.ts';
import { AGENTS } from '../src/table.ts';
import { AgentAtWork } from './driver.ts';
import { ONE_WRITE } from './fixtures/one-write.ts';

/** Requirements for every agent in the table. Specifics of each protocol have their own tests. */

const TOP = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, TOP), 'utf8');

test('each has the name that it has over MCP and in the library', () => {
  expect(new Set([...Object.keys(AGENTS), 'vscode'])).toEqual(new Set(KNOWN_AGENTS));
  for (const { name, title, integration } of Object.values(AGENTS)) {
    for (const other of [title, ...integration.present.programs]) expect(canonicalAgent(other)).toBe(name);
  }
});

/** The cells of the agent's row in docs/agents.md. */
function rowOf({ title }: Agent): readonly string[] {
  const row = textOf('docs/agents.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${title} |`));
  return (row ?? '').split('|').map((cell) => cell.trim());
}

describe.each(Object.values(AGENTS))('$title', (agent) => {
  const { name, variables, integration } = agent;

  test('its writes are attributed to it', async () => {
    const p = new AgentAtWork(name);
    const [begun, ended] = ONE_WRITE[name](p.dir, p.at('new.txt'));
    p.args = begun.hint === null ? [] : [begun.hint];
    await p.tell(begun.event);
    p.write('new.txt', 'x');
    p.args = ended.hint === null ? [] : [ended.hint];
    await p.tell(ended.event);
    expect((await p.timelineLines()).at(-1)).toMatch(new RegExp(`new\\.txt by ${name}(?:[:/]|$)`));
    const { session } = (await p.checkpoints()).at(-1) ?? {};
    expect(
      await p
        .open()
        .session({ agent: name, ...(session == null ? {} : { id: session }) })
        .openCalls(),
    ).toEqual([]);
  });

  test('it reads only its own environment variables', () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string | undefined>>({}, { get: (_, key) => void read.add(String(key)) });
    for (const { event, hint } of ONE_WRITE[name]('/project', '/project/new.txt')) {
      agent.parse(fieldsOf(event), env, hint);
    }
    expect([...read].filter((variable) => !variables.includes(variable))).toEqual([]);
  });

  test('docs/agents.md has its row, with the places of its settings', () => {
    const cell = rowOf(agent)[3] ?? '';
    const { folder, file } = integration.user;
    expect(cell).toContain(`\`${integration.project.join('/')}`);
    expect(cell).toContain(`\`~/${[...folder, ...file].join('/')}`);
  });

  test('the README names it where it describes `install`', () => {
    const line = textOf('README.md')
      .split('\n')
      .find((one) => one.startsWith('savepoint install '));
    expect(line).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test('its variables can be named in a shell script', () => {
    for (const variable of variables) expect(variable).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });
});

test('docs/agents.md has no row for an unknown agent', () => {
  const page = textOf('docs/agents.md');
  const table = page.slice(page.indexOf('| agent | tried with |')).split('\n\n')[0] ?? '';
  const titles = table
    .split('\n')
    .slice(2)
    .map((line) => line.split('|')[1]?.trim());
  expect(titles).toEqual(Object.values(AGENTS).map(({ title }) => title));
});
