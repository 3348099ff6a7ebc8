import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const top = fileURLToPath(new URL('../..', import.meta.url));

it('examples/sandboxes does what it says', () => {
  const said = execFileSync(process.execPath, ['examples/sandboxes/agent.mjs'], { cwd: top, encoding: 'utf8' });
  expect(said.split('\n')).toEqual([
    'cp_1: before the agent',
    'call_1 ended with status 3',
    expect.stringMatching(/^my-agent: \w+ (?:log|price)\.txt$/),
    expect.stringMatching(/^my-agent: \w+ (?:log|price)\.txt$/),
    'in .:',
    '- log.txt',
    '- price.txt',
    'price.txt: 1.19',
    'log.txt: null',
    '',
  ]);
});
