import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOOLS } from '../../src/tools/table.ts';

test('the documentation page lists all tools in order, and what each changes', () => {
  const page = readFileSync(new URL('../../../../docs/reference/mcp.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| `(\w+)` \| .+ \| (files|store|nothing) \|$/gm);
  expect([...rows].map(([, name, changes]) => [name, changes])).toEqual(
    TOOLS.map(({ name, verb }) => [name, verb.changes]),
  );
});
