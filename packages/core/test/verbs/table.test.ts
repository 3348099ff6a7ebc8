import { schemasOf, VERBS, type Verb } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';

const table: readonly Verb[] = Object.values(VERBS);

describe('the table', () => {
  it('has a name, one line and a description for every verb', () => {
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
    for (const { name, summary, description } of table) {
      expect(name, name).toMatch(/^[a-z]+(?:[ -][a-z]+)?$/);
      expect(summary, name).toMatch(/^[a-z][^\n]*[^.\n]$/);
      expect(summary.length, name).toBeLessThan(70);
      expect(description, name).toMatch(/\.$/);
    }
  });

  it.each(table.map((verb) => [verb.name, verb] as const))('%s refuses unknown fields', async (_, verb) => {
    const { input } = await schemasOf(verb);
    const problems = input.safeParse({ noSuchField: 1 }).error?.issues ?? [];
    expect(problems.map(({ code }) => code)).toContain('unrecognized_keys');
  });

  it('contains no text for terminals', () => {
    for (const { description, summary } of table)
      expect(summary + description).not.toMatch(/--|terminal|colou?r|exit/i);
  });
});
