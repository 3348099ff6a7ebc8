import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { call, connect } from './mcp-server.ts';

/**
 * A model pays for every byte of a listing and of an answer. Some clients pass on only the structured part of an answer,
 * others only the text, so each must be small and complete. Prints what it measures.
 */
it('the listing of the tools, and each part of a list of 13 checkpoints, are small', async () => {
  const p = project();
  const client = await connect(p, '2025-11-25');
  for (let i = 1; i <= 13; i++) {
    p.write('a.txt', `${'line\n'.repeat(i)}`);
    await call(client, 'checkpoint_create', { message: `step ${i}` });
  }
  const { tools } = await client.listTools();
  const { text, data } = await call(client, 'checkpoint_list');
  const sizes = {
    'tools/list': JSON.stringify(tools).length,
    'checkpoint_list, structured': JSON.stringify(data).length,
    'checkpoint_list, text': text.length,
  };
  console.log(sizes);
  expect(sizes['tools/list']).toBeLessThan(25_000);
  expect(sizes['checkpoint_list, structured']).toBeLessThan(2500);
  expect(sizes['checkpoint_list, text']).toBeLessThan(1600);
});
