import { project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { connect, REVISIONS } from './mcp-server.ts';

/** What a user chooses in the menu of an MCP client. */
describe.each(REVISIONS)('a client of %s', (revision) => {
  it('lists small prompts that name our tools, and completes their arguments', async () => {
    const client = await connect(project(), revision);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['checkpoint', 'rewind', 'undo', 'redo']);
    expect(JSON.stringify(prompts).length).toBeLessThan(1_200);
    const tools = new Set((await client.listTools()).tools.map(({ name }) => name));
    const textOf = async (name: string, args: Record<string, string> = {}): Promise<string> => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      const [message, ...more] = messages;
      if (message?.content.type !== 'text' || more.length > 0) throw new Error('not one text');
      for (const [tool] of message.content.text.matchAll(/checkpoint_\w+/g)) expect(tools).toContain(tool);
      return message.content.text;
    };
    for (const action of ['list', 'show', 'diff', 'create'])
      expect(await textOf('checkpoint', { action, what: 'cp_2' })).toContain(`checkpoint_${action}`);
    expect(await textOf('checkpoint')).toContain('checkpoint_list');
    expect(await textOf('checkpoint', { action: 'purge' })).toContain('no action "purge"');
    expect(await textOf('rewind')).toContain('Change nothing');
    expect(await textOf('rewind', { to: '1' })).toContain('"@prompt"');
    expect(await textOf('rewind', { to: '3' })).toContain('"@prompt~3"');
    for (const asked of [
      await textOf('checkpoint', { action: 'restore', what: 'cp_2' }),
      await textOf('rewind', { to: 'cp_2' }),
      await textOf('undo'),
      await textOf('redo'),
    ])
      expect(asked).toContain('Call it again with the preview_id only after I agree.');
    await expect(textOf('purge')).rejects.toThrow('Unknown prompt "purge"');

    const ref = { type: 'ref/prompt', name: 'checkpoint' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'action', value: 's' } });
    expect(completion.values).toEqual(['show']);
    const none = await client.complete({ ref, argument: { name: 'nothing', value: '' } });
    expect(none.completion.values).toEqual([]);
  });
});
