import { fileURLToPath } from 'node:url';
import { project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { call, connect, ERAS, missingInText } from './mcp-server.ts';

const replace = (from: string, to: string): object => ({ old_string: from, new_string: to });

describe.each(ERAS)('edits by a client of %s', (revision) => {
  it('many files, one file and an entire file, each reverted by undo', async () => {
    const p = project();
    p.write('a.txt', 'one\ntwo\n');
    p.write('b/c.txt', 'c\n');
    const client = await connect(p, revision);
    await client.listTools();
    const files = [
      { file_path: 'a.txt', edits: [replace('one', '1'), { op: 'insert', line: 2, text: 'three\n' }] },
      { file_path: 'b/c.txt', edits: [replace('c', 'C')], backup: false },
    ];
    const tried = await call(client, 'multi_edit_files', { files, dry_run: true });
    expect(tried.text).toContain('+three');
    expect(p.read('a.txt')).toBe('one\ntwo\n');
    const done = await call(client, 'multi_edit_files', { files, include_content: true, message: 'both' });
    expect(done.data).toMatchObject({ total_files: 2, files_succeeded: 2, files_failed: 0, total_edits: 3 });
    expect(done.data).toMatchObject({ files: [{ final_content: '1\ntwo\nthree\n' }, { final_content: 'C\n' }] });
    expect(done.text).toContain('write  a.txt  (2 edits');
    expect(done.text).toContain(
      'Final content of a.txt (3 lines):\n1\ntwo\nthree\nFinal content of b/c.txt (1 line):\nC',
    );
    expect(missingInText(done)).toEqual([]);
    expect([p.read('a.txt'), p.read('b/c.txt')]).toEqual(['1\ntwo\nthree\n', 'C\n']);

    const one = await call(client, 'multi_edit', { file_path: 'a.txt', edits: [replace('two', '2')] });
    expect(one.data).toMatchObject({ total_files: 1, files: [{ file_path: 'a.txt', edits_applied: 1 }] });
    const written = await call(client, 'write_file', { file_path: 'new/d.txt', content: 'd\n' });
    expect(written.data).toMatchObject({ files: [{ operation: 'create' }] });
    expect([p.read('a.txt'), p.read('new/d.txt')]).toEqual(['1\n2\nthree\n', 'd\n']);

    for (let i = 0; i < 3; i++) {
      const { data } = await call(client, 'undo');
      expect((await call(client, 'undo', { preview_id: data['preview_id'] })).data).toMatchObject({ outcome: 'done' });
    }
    expect([p.read('a.txt'), p.read('b/c.txt'), p.has('new')]).toEqual(['one\ntwo\n', 'c\n', false]);
  });

  it('all problems are reported at once, and nothing is changed', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const client = await connect(p, revision);
    await client.listTools();
    const { isError, error } = await call(client, 'multi_edit_files', {
      files: [
        { file_path: 'a.txt', edits: [replace('one', '1')] },
        { file_path: 'b.txt', edits: [replace('x', 'y')] },
        { file_path: '../c.txt', edits: [{ op: 'create', content: 'c' }] },
      ],
    });
    expect(isError).toBe(true);
    expect(error.code).toBe('EDITS_REFUSED');
    expect(error).toMatchObject({ details: [{ file_path: 'b.txt' }, { file_path: '../c.txt' }] });
    expect(p.read('a.txt')).toBe('one\n');
    const expected_hash = '0'.repeat(40);
    const stale = await call(client, 'write_file', { file_path: 'a.txt', content: 'x', expected_hash });
    expect(stale.error.code).toBe('CONFLICT');
    expect((await call(client, 'multi_edit_files', { files: [] })).error.code).toBe('USAGE');
    const mixed = await call(client, 'multi_edit_files', {
      files: [
        { file_path: 'a.txt', edits: [{ oldString: 'one', newString: '1' }], backup: true },
        { file_path: 'b.txt', edits: [replace('x', 'y')] },
        { file_path: '../c.txt', edits: [{ op: 'create', content: 'c' }] },
        { file_path: './a.txt', edits: [replace('two', '2'), { op: 'insert', text: 'x' }] },
      ],
      max_content: 'all',
    });
    expect(mixed.error).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('unknown key "oldString"; use old_string'),
      data: {
        issues: [
          { argument: 'files[0].edits[0]' },
          { argument: 'files[3].edits[1].line' },
          { argument: 'max_content' },
        ],
      },
      details: [
        { file_path: '../c.txt', code: 'PATH_REFUSED' },
        { file_path: 'b.txt', edit_status: [{ error: { code: 'NOT_THERE' } }] },
        { file_path: './a.txt', edit_status: [{ error: { code: 'NO_MATCH' } }] },
      ],
    });
    expect(p.read('a.txt')).toBe('one\n');
  });
});

it.each(['multi_edit_files', 'multi_edit'])(
  '%s returns all contents up to the requested size, also as text',
  async (tool) => {
    const p = project();
    const long = `${'x'.repeat(99)}\n`.repeat(2000);
    const client = await connect(p, '2025-11-25');
    const paths = tool === 'multi_edit' ? ['a.txt'] : ['a.txt', 'b.txt', 'c.txt'];
    const files = paths.map((file_path) => ({
      file_path,
      edits: [{ op: 'write', content: `${file_path}\n${long}end` }],
    }));
    const asked = { include_content: true, max_content: 700_000 };
    const request = tool === 'multi_edit' ? { ...files[0], ...asked } : { files, ...asked };
    const { data, text } = await call(client, tool, request);
    expect(data).toMatchObject({ files: paths.map((path) => ({ final_content: `${path}\n${long}end` })) });
    expect(data).not.toHaveProperty('left_out');
    for (const path of paths) {
      expect(text).toContain(
        `Final content of ${path} (2002 lines, without a newline at the end):\n${path}\n${long}end`,
      );
    }
    expect(text).not.toContain('left out');
  },
);

it('content that is too long for a response is replaced by a link to the file, and the response says so', async () => {
  const p = project();
  const long = `${'x'.repeat(99)}\n`.repeat(2000);
  p.write('a b\u00e9.txt', long);
  p.write('short.txt', 'one\n');
  const client = await connect(p, '2026-07-28');
  const files = [
    { file_path: 'a b\u00e9.txt', edits: [{ op: 'insert', line: 0, text: 'first\n' }] },
    { file_path: 'short.txt', edits: [replace('one', '1')] },
  ];
  const { content, structuredContent } = (await client.callTool({
    name: 'multi_edit_files',
    arguments: { files, include_content: true },
  })) as unknown as { content: { type: string; uri?: string }[]; structuredContent: Record<string, unknown> };
  expect(structuredContent).toMatchObject({
    files: [{ final_content: null }, { final_content: '1\n' }],
    left_out: [{ at: 'files[].final_content', count: long.length + 6, of: 'characters' }],
  });
  const links = content.filter(({ type }) => type === 'resource_link');
  expect(links.map(({ uri }) => fileURLToPath(uri ?? ''))).toEqual([p.at('a b\u00e9.txt')]);
});
