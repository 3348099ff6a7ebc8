import { fileURLToPath } from 'node:url';
import { bytesFromText, type Checkpoint, type DiskPath, open, type Savepoint, type TreePath } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { answerOf, call, connect, missingInText, REVISIONS } from './mcp-server.ts';

function library(p: Project): Savepoint {
  const home = bytesFromText(p.store) as DiskPath;
  const dir = bytesFromText(p.dir) as DiskPath;
  return open({ dir, ports: nodePorts(), places: { home, userHome: null, globalIgnore: null } });
}

/** JSON; update it with `vitest run tests/frontends/mcp.test.ts --update=all`. */
const pinned = fileURLToPath(new URL('./mcp-tools.json.snap', import.meta.url));

/** The order of fields in an object has no meaning, and differs between revisions. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}

describe.each(REVISIONS)('a client of %s', (revision) => {
  it('gets the tools of the snapshot', async () => {
    const client = await connect(project(), revision);
    expect(client.getServerVersion()?.name).toBe('savepoint');
    const { tools } = await client.listTools();
    await expect(`${JSON.stringify(sorted(tools), null, 2)}\n`).toMatchFileSnapshot(pinned);
  });

  it('has one name with its hooks, and calls tools as a part of the session that they report', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const client = await connect(p, revision, { name: 'gemini-cli-mcp-client' });
    const before = await call(client, 'checkpoint_create');
    expect(before.data).toMatchObject({ checkpoint: { by: 'agent gemini' } });
    for (const [session, message] of [
      ['s-1', 'one'],
      ['s-2', 'two'],
    ] as const) {
      await library(p)
        .session({ agent: 'gemini', id: session })
        .begin({ tool: 'mcp_savepoint_checkpoint_create', args: { message }, own: true });
    }
    const { data } = await call(client, 'checkpoint_create', { message: 'two' });
    expect(data).toMatchObject({ checkpoint: { by: 'agent gemini, session s-2' } });
  });

  it('calls every checkpoint tool; the text says what the fields say', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b/c.txt', 'c\n');
    const client = await connect(p, revision);
    const { tools } = await client.listTools();
    const called = new Set<string>();
    const use = async (name: string, args: Record<string, unknown> = {}) => {
      called.add(name);
      const answer = await call(client, name, args);
      expect([name, missingInText(answer)]).toEqual([name, []]);
      return answer;
    };

    expect((await use('checkpoint_list')).text).toContain('No checkpoints yet');
    const taken = await use('checkpoint_create', { message: 'at the start', test_result: 'pass' });
    expect(taken.text).toContain('cp_1');
    expect(taken.text).toContain('agent test-client: at the start');
    expect(taken.data).toMatchObject({
      checkpoint: { id: 'cp_1', tests: 'pass', by: 'agent test-client', holds: { files: 2 } },
    });
    const [{ actor }] = (await library(p).list()).checkpoints as [Checkpoint];
    expect(actor).toMatchObject({ kind: 'agent', name: 'test-client', version: '1.2.3' });
    p.write('a.txt', 'two\n');
    p.write('new.txt', 'new\n');
    const diff = await use('checkpoint_diff', { patch: true });
    expect(diff.text).toContain('write  a.txt  +1 -1');
    expect(diff.text).toContain('+two');
    expect((await use('checkpoint_diff', { paths: ['b'] })).data['changes']).toEqual([]);
    expect((await use('map')).text).toMatch(/^No file defines a symbol\.\nNot analysed: /);
    expect((await use('workspace_context', { structure: true })).text).toMatch(/cp_1 .*at the start[\s\S]*- new\.txt/);

    const preview = await use('checkpoint_restore', { checkpoint: 'cp_1' });
    expect(preview.data).toMatchObject({ outcome: 'ready', dry_run: true, next_step: expect.any(String) });
    expect(preview.text).toContain('delete  new.txt');
    expect(preview.text).toContain(`preview_id: ${preview.data['preview_id']}`);
    expect(p.read('a.txt')).toBe('two\n');
    const restored = await use('checkpoint_restore', { checkpoint: 'cp_1', preview_id: preview.data['preview_id'] });
    expect(restored.data).toMatchObject({ outcome: 'done', checkpoint_after: 'cp_3' });
    expect(restored.data).not.toHaveProperty('preview_id');
    expect([p.read('a.txt'), p.has('new.txt')]).toEqual(['one\n', false]);

    const undo = await use('undo');
    expect(p.read('a.txt')).toBe('one\n');
    await use('undo', { preview_id: undo.data['preview_id'] });
    expect([p.read('a.txt'), p.read('new.txt')]).toEqual(['two\n', 'new\n']);
    const redo = await use('redo');
    expect(p.read('a.txt')).toBe('two\n');
    expect((await use('redo', { preview_id: redo.data['preview_id'] })).data).toMatchObject({ outcome: 'done' });
    expect(p.read('a.txt')).toBe('one\n');

    expect((await use('checkpoint_list', { limit: 2 })).data).toMatchObject({ next: expect.any(String) });
    expect((await use('checkpoint_show', { checkpoint: 'cp_1' })).text).toContain('at the start');
    const part = await use('checkpoint_cat', { checkpoint: 'cp_1', path: 'a.txt', length: 2 });
    expect(part.data).toMatchObject({ content: 'on', size: 4, next: 2 });
    expect(part.text).toContain('continue with offset 2');
    const edited = await call(client, 'write_file', { file_path: 'a.txt', content: 'three\n' });
    expect(edited.isError).toBeUndefined();
    expect((await use('history')).text).toMatch(/^cp_\d+\.1 .* test-client \(sure\) {2}write {2}a\.txt {2}\+1 -1$/m);
    expect((await use('blame', { file: 'a.txt' })).text).toMatch(
      /^ {2}1 {2}test-client \(sure\), cp_\d+\.1, .*a\.txt/m,
    );
    const [newest] = (await use('history', { limit: 1 })).data['changes'] as readonly { readonly id: string }[];
    const rollback = await use('rollback', { changes: [newest?.id] });
    expect(rollback.text).toContain('write  a.txt');
    await use('rollback', { changes: [newest?.id], preview_id: rollback.data['preview_id'] });
    expect(p.read('a.txt')).toBe('one\n');

    const operation = await call(client, 'undo', {});
    await call(client, 'undo', { preview_id: operation.data['preview_id'] });
    p.write('a.txt', 'in between\n');
    expect((await call(client, 'redo', {})).data).toMatchObject({ outcome: 'conflict' });
    const resolutions = [{ path: 'a.txt', content: 'three\n' }];
    const resolved = await call(client, 'redo', { resolutions });
    await call(client, 'redo', { resolutions, preview_id: resolved.data['preview_id'] });
    expect(p.read('a.txt')).toBe('three\n');

    const elsewhere = [...EDITS, ...PLANS, 'guard'];
    expect(tools.map(({ name }) => name).filter((name) => !called.has(name) && !elsewhere.includes(name))).toEqual([]);
  });

  it('rollback and checkpoint_restore resolve conflicts as the caller decides, and name who changed the lines', async () => {
    const p = project();
    p.write('a.txt', '1\n2\n3\n4\n');
    p.checkpoint();
    const client = await connect(p, revision);
    await call(client, 'write_file', { file_path: 'a.txt', content: '1\n2\nAGENT\n4\n' });
    const current = '1\n2\nAGENT\nPERSON\n';
    p.write('a.txt', current);
    const requests = { rollback: {}, checkpoint_restore: { checkpoint: 'cp_1', mode: 'keep-outside' } };
    for (const [name, request] of Object.entries(requests)) {
      const seen = await call(client, name, request);
      expect(seen.data).toMatchObject({ outcome: 'conflict' });
      expect(seen.text).toMatch(/lines next to the ones to change were changed since from outside, (?:after|in) cp_/);
      for (const way of ['skip_conflicts', 'ours', 'theirs', 'resolutions']) {
        expect(seen.data['next_step']).toContain(way);
        expect(seen.text).toContain(`${way} `);
      }
      for (const [choice, wanted] of [
        [{ ours: ['a.txt'] }, current],
        [{ skip_conflicts: true }, current],
        [{ theirs: ['a.txt'] }, '1\n2\n3\nPERSON\n'],
        [{ resolutions: [{ path: 'a.txt', content: 'merged\n' }] }, 'merged\n'],
      ] as const) {
        const preview = await call(client, name, { ...request, ...choice });
        const done = await call(client, name, { ...request, ...choice, preview_id: preview.data['preview_id'] });
        expect(done.isError).toBeUndefined();
        expect(p.read('a.txt')).toBe(wanted);
        if (wanted !== current) p.ok('undo');
      }
      const resolutions = [{ path: 'b.txt', content: 'not in conflict' }];
      const refused = await call(client, name, { ...request, theirs: ['a.txt'], resolutions });
      expect(refused.text).toContain('There is a resolution for b.txt, but no conflict there.');
    }
  });

  it('lists and reverts only the work of its own session, unless it says otherwise', async () => {
    const p = project();
    p.write('a.txt', 'one\ntwo\nthree\n');
    const own = library(p).session({ agent: 'gemini', id: 's-1' });
    const other = library(p).session({ agent: 'gemini', id: 's-2' });
    await own.start();
    const writes = async (session: typeof own, path: string, content: string): Promise<void> => {
      const found = p.has(path) ? p.read(path) : null;
      const reported = [{ path: path as TreePath, found, result: content }];
      const request = { tool: 'write_file', kind: 'write', paths: [path as TreePath], writes: reported } as const;
      await session.call(request, () => p.write(path, content));
    };
    await writes(own, 'a.txt', 'ONE\ntwo\nthree\n');
    await writes(other, 'b.txt', 'by the other\n');
    await own.call({ tool: 'Bash', kind: 'shell', args: { command: 'make' } }, () => p.write('made.txt', 'made\n'));
    p.write('a.txt', 'ONE\ntwo\nTHREE\n');
    const client = await connect(p, revision, { name: 'gemini-cli-mcp-client' });
    const use = async (name: string, args: Record<string, unknown> = {}) => {
      const { id } = await own.begin({ tool: `mcp_savepoint_${name}`, args, own: true });
      const answer = await call(client, name, args);
      await own.end(id);
      expect([name, missingInText(answer)]).toEqual([name, []]);
      return answer;
    };
    const paths = ({ data }: { readonly data: Record<string, unknown> }) =>
      (data['changes'] as readonly { readonly path: string }[]).map(({ path }) => path);
    expect(paths(await use('history'))).toEqual(['made.txt', 'a.txt']);
    expect(paths(await use('history', { scope: 'all' }))).toEqual(['a.txt', 'made.txt', 'b.txt', 'a.txt']);
    expect(paths(await use('history', { scope: 'all', session: 's-2' }))).toEqual(['b.txt']);
    expect(paths(await call(client, 'history'))).toEqual([]);
    const lines = (await use('blame', { file: 'a.txt' })).text;
    expect(lines).toContain('1  gemini, session s-1, write_file (sure), cp_2.1');
    expect(lines).toContain('2  older than the timeline (already in cp_1)');
    expect(lines).toContain('3  outside (sure), cp_5.1');

    const named = await use('rollback', { changes: ['cp_3.1'] });
    expect(named.data).toMatchObject({ outcome: 'nothing' });
    expect(named.data).not.toHaveProperty('preview_id');
    expect(named.text).toContain('left  cp_3.1 b.txt: it was not made by this session');
    const preview = await use('rollback');
    expect(preview.text).toMatch(/left \(likely\) {2}cp_4\.1 made\.txt: .*\n.*likely true/);
    await use('rollback', { preview_id: preview.data['preview_id'] });
    expect([p.read('a.txt'), p.read('b.txt'), p.has('made.txt')]).toEqual([
      'one\ntwo\nTHREE\n',
      'by the other\n',
      true,
    ]);
    const likely = await use('rollback', { likely: true });
    await use('rollback', { likely: true, preview_id: likely.data['preview_id'] });
    expect([p.has('b.txt'), p.has('made.txt')]).toEqual([true, false]);
    const all = await use('rollback', { scope: 'all', session: 's-2' });
    await use('rollback', { scope: 'all', session: 's-2', preview_id: all.data['preview_id'] });
    expect(p.has('b.txt')).toBe(false);
    expect((await use('rollback', { scope: 'all' })).error.code).toBe('USAGE');
  });

  it('is told why a preview is not carried out: the files have changed, or the id or the arguments are wrong', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const client = await connect(p, revision);
    await call(client, 'checkpoint_create');
    p.write('a.txt', 'two\n');
    const { data } = await call(client, 'checkpoint_restore', { checkpoint: 'cp_1' });
    p.write('a.txt', 'precious\n');
    const stale = await call(client, 'checkpoint_restore', { checkpoint: 'cp_1', preview_id: data['preview_id'] });
    expect(stale.isError).toBe(true);
    expect(stale.error).toMatchObject({ code: 'CONFLICT', hint: expect.stringContaining('without preview_id') });
    const invented = await call(client, 'checkpoint_restore', { checkpoint: 'cp_1', preview_id: 'x' });
    expect(invented.error).toMatchObject({ code: 'USAGE', message: expect.stringContaining('Unknown preview_id "x"') });
    const other = { checkpoint: 'cp_1', mode: 'exact', preview_id: data['preview_id'] };
    const mixed = await call(client, 'checkpoint_restore', other);
    expect(mixed.error).toMatchObject({ code: 'USAGE', message: expect.stringContaining('other arguments') });
    expect(p.read('a.txt')).toBe('precious\n');
  });

  it('gets errors with the codes of every front end', async () => {
    const p = project();
    const client = await connect(p, revision);
    await client.listTools();
    expect((await call(client, 'undo')).error).toMatchObject({
      code: 'NO_WORKSPACE',
      hint: 'Call checkpoint_create to take the first checkpoint.',
    });
    await call(client, 'checkpoint_create');
    expect((await call(client, 'undo')).error).toMatchObject({ code: 'NOTHING_TO_UNDO', data: {} });
    expect((await call(client, 'checkpoint_show', { checkpoint: 'cp_9' })).error.code).toBe('UNKNOWN_CHECKPOINT');
    const wrong = await call(client, 'checkpoint_list', { limit: 'many', root: '/' });
    expect(wrong.error).toMatchObject({ code: 'USAGE', data: { argument: 'limit' } });
    const outside = await call(client, 'checkpoint_restore', { checkpoint: 'cp_1', paths: ['../home'] });
    expect(outside.error.code).toBe('PATH_REFUSED');
    await expect(client.callTool({ name: 'rm', arguments: {} })).rejects.toThrow('Unknown tool "rm"');
  });

  it('gets progress of long work on request, and can cancel it with nothing changed', async () => {
    const p = project();
    for (let i = 0; i < 600; i++) p.write(`${i % 50}/${i}.txt`, `${i}\n`);
    const client = await connect(p, revision);
    const stop = new AbortController();
    const reported: string[] = [];
    const stopped = client.callTool(
      { name: 'checkpoint_create', arguments: {} },
      {
        signal: stop.signal,
        onprogress: ({ progress, message }) => {
          reported.push(`${progress} ${message}`);
          stop.abort();
        },
      },
    );
    await expect(stopped).rejects.toThrow();
    expect(reported[0]).toMatch(/^1 (?:scan|read): \d+/);
    expect((await call(client, 'checkpoint_list')).data).toMatchObject({ checkpoints: [] });
    const taken = answerOf(
      await client.callTool({ name: 'checkpoint_create', _meta: { 'claudecode/toolUseId': 'toolu_1' }, arguments: {} }),
    );
    expect(taken.data).toMatchObject({ checkpoint: { holds: { files: 600 } } });
    expect((await library(p).list()).checkpoints).toMatchObject([{ toolCall: 'toolu_1' }]);
  });
});

/** Tools with their own test file. */
const EDITS: readonly string[] = ['multi_edit_files', 'multi_edit', 'write_file'];
const PLANS: readonly string[] = ['plan_propose', 'plan_revise', 'plan_status', 'plan_check', 'plan_apply'];
