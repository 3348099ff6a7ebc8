import fs, { readFileSync } from 'node:fs';
import { savepointTools, ToolFailure, trackedTools } from '@savepoint/ai-sdk';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import type { ToolSet as ToolSet7 } from 'ai';
import type { ToolSet as ToolSet6 } from 'ai-6';
import { describe, expect, it } from 'vitest';
import { type Step, VERSIONS } from './ai-sdk-versions.ts';

const actor = { kind: 'agent', name: 'test-agent' } as const;
const openFor = (p: Project) => open({ dir: p.dir, home: p.store, actor });
const call =
  (name: string, input: unknown): Step =>
  () => [{ name, input }];
const replace = (from: string, to: string): object => ({ old_string: from, new_string: to });

/** Both steps of a tool that shows a preview first. */
const inTwoSteps = (name: string, input: object = {}): readonly Step[] => [
  call(name, input),
  ([reported]) => [{ name, input: { ...input, preview_id: /preview_id: (\S+)/.exec(reported ?? '')?.[1] } }],
];

/** The tools as MCP clients receive them. */
const pinned = JSON.parse(readFileSync(new URL('./mcp-tools.json.snap', import.meta.url), 'utf8')) as {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}[];

/** The SDK itself adds to the schema of each object that it has no other fields, so names say which one they may have. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  const { type, ...rest } = parts;
  if (Array.isArray(type)) {
    const object = { type: 'object', properties: { b64: { type: 'string' } }, additionalProperties: false };
    return { ...rest, anyOf: [{ type: 'string' }, object] };
  }
  return type === 'object' ? { ...parts, additionalProperties: false } : parts;
}

/** MCP clients read the schema of edits once, in `multi_edit_files`; here, each tool has it. */
function withEdits(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = schema['properties'] as Record<string, { readonly items?: object }>;
  if (JSON.stringify(properties['files']?.items) !== '{"type":"object"}') return schema;
  const full = pinned.find(({ name }) => name === 'multi_edit_files')?.inputSchema['properties'] as typeof properties;
  return { ...schema, properties: { ...properties, files: { ...properties['files'], items: full['files']?.items } } };
}

describe.each(VERSIONS)('an agent on version $version of the AI SDK', ({ run }) => {
  it('gets the same tools as a client of the MCP server', async () => {
    const { tools } = await run(await savepointTools(openFor(project())), []);
    const reported = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const expected = pinned.map(({ name, description, inputSchema }) => {
      const $schema = 'http://json-schema.org/draft-07/schema#';
      return { name, description, inputSchema: { ...(closed(withEdits(inputSchema)) as object), $schema } };
    });
    expect(reported).toEqual(expected);
  });

  it('calls every tool; the ids of its calls are in the checkpoints', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b.txt', 'two\n');
    const savepoint = openFor(p);
    const files = [
      { file_path: 'a.txt', edits: [replace('one', '1')] },
      { file_path: 'b.txt', edits: [replace('two', '2')] },
    ];
    const { parts, reported } = await run(await savepointTools(savepoint), [
      call('checkpoint_create', { message: 'at the start' }),
      call('multi_edit_files', { files }),
      call('multi_edit', { file_path: 'a.txt', edits: [replace('1', 'eins')] }),
      call('write_file', { file_path: 'c.txt', content: 'three\n' }),
      call('checkpoint_list', {}),
      call('workspace_context', {}),
      call('checkpoint_show', { checkpoint: 'cp_1' }),
      call('checkpoint_diff', { from: 'cp_1', patch: true }),
      call('history', {}),
      call('blame', { file: 'a.txt' }),
      call('checkpoint_cat', { checkpoint: 'cp_1', path: 'a.txt' }),
      ...inTwoSteps('checkpoint_restore', { checkpoint: 'cp_1' }),
      ...inTwoSteps('undo'),
      ...inTwoSteps('redo'),
      ...inTwoSteps('undo'),
      ...inTwoSteps('rollback'),
      call('plan_propose', { files, intent: 'both' }),
      call('plan_revise', { id: 'last', files: files.slice(1) }),
      call('plan_status', { id: 'last' }),
      call('plan_check', { id: 'last' }),
      call('map', {}),
    ]);
    expect(parts.filter(({ type }) => type === 'tool-error')).toEqual([]);
    const used = new Set(parts.filter(({ type }) => type === 'tool-result').map(({ toolName }) => toolName));
    // `guard` needs checks that a person trusts, and `plan_apply` a plan that a person approved.
    expect([...used, 'guard', 'plan_apply'].sort()).toEqual(pinned.map(({ name }) => name).sort());
    expect([p.read('a.txt'), p.read('b.txt'), p.has('c.txt')]).toEqual(['one\n', 'two\n', false]);

    expect(reported.map(({ type }) => type)).toEqual(reported.map(() => 'text'));
    expect(reported[0]?.value).toContain('manual, by agent test-agent: at the start');
    expect(reported[1]?.value).toContain('write  b.txt  (1 edit');
    expect(reported[5]?.value).toContain('Workspace: ');
    expect(reported[7]?.value).toContain('+eins');
    expect(reported[8]?.value).toContain('test-agent (sure)  create  c.txt');
    expect(reported[9]?.value).toContain('1  test-agent (sure), cp_3.1');
    expect(reported[10]?.value).toContain('one');
    expect(reported[11]?.value).toContain('delete  c.txt');
    expect(parts.find(({ toolName, type }) => toolName === 'multi_edit_files' && type === 'tool-result')).toMatchObject(
      {
        output: { total_files: 2, files_succeeded: 2, checkpoint_after: 'cp_2' },
      },
    );
    const { checkpoints } = await savepoint.list();
    const ids = checkpoints.map(({ toolCall }) => toolCall);
    for (const id of [
      'call-0-0',
      'call-1-0',
      'call-2-0',
      'call-3-0',
      'call-12-0',
      'call-14-0',
      'call-16-0',
      'call-20-0',
    ]) {
      expect(ids).toContain(id);
    }
  });

  it('a refusal lists all problems, and nothing is changed', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const refused = [
      { file_path: 'a.txt', edits: [replace('one', '1'), replace('x', 'y')] },
      { file_path: 'b.txt', edits: [replace('x', 'y')] },
      { file_path: '../c.txt', edits: [{ op: 'create', content: 'c' }] },
    ];
    const { parts, reported } = await run(await savepointTools(openFor(p)), [
      call('multi_edit_files', { files: refused }),
      call('multi_edit_files', { files: [], nonsense: 1 }),
      call('write_file', { file_path: 'a.txt', content: 'x', expected_hash: '0'.repeat(40) }),
      call('checkpoint_show', { checkpoint: 'cp_9' }),
    ]);
    expect(parts.filter(({ type }) => type === 'tool-result')).toEqual([]);
    expect(reported.map(({ type }) => type)).toEqual(reported.map(() => 'error-text'));
    const [edits, usage, stale, unknown] = reported.map(({ value }) => JSON.parse(value).error);
    expect(edits).toMatchObject({
      code: 'EDITS_REFUSED',
      message: expect.stringContaining('3 of 3'),
      hint: expect.stringContaining('send the complete request again'),
      details: [
        {
          file_path: 'a.txt',
          edit_status: [{ outcome: 'applied' }, { outcome: 'failed', error: { code: 'NO_MATCH' } }],
        },
        { file_path: 'b.txt', edit_status: [{ error: { code: 'NOT_THERE' } }] },
        { file_path: '../c.txt', code: 'PATH_REFUSED' },
      ],
    });
    expect(usage).toMatchObject({ code: 'USAGE', data: { issues: [{ argument: 'files' }, { argument: '' }] } });
    expect(stale.code).toBe('CONFLICT');
    expect(unknown.code).toBe('NO_WORKSPACE');
    expect(p.read('a.txt')).toBe('one\n');
  });

  it('the signal of the run aborts a call, with nothing changed', async () => {
    const p = project();
    for (let i = 0; i < 600; i++) p.write(`${i % 50}/${i}.txt`, `${i}\n`);
    const savepoint = openFor(p);
    const stop = new AbortController();
    savepoint.on('progress', () => stop.abort());
    let reported: readonly string[] = [];
    const steps: readonly Step[] = [
      call('multi_edit', { file_path: '0/0.txt', edits: [replace('0', 'x')] }),
      (last) => {
        reported = last;
        return [];
      },
    ];
    // The SDK decides whether the run ends with the signal, or continues with a model that ignores it.
    await run(await savepointTools(savepoint), steps, stop.signal).catch(() => undefined);
    expect(stop.signal.aborted).toBe(true);
    for (const text of reported) expect(JSON.parse(text).error.code).toBe('CANCELLED');
    expect(p.read('0/0.txt')).toBe('0\n');
    expect((await savepoint.list()).checkpoints).toEqual([]);
  });

  it('several calls in one step take effect in order', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const edit = (from: string, to: string) => ({
      name: 'multi_edit',
      input: { file_path: 'a.txt', edits: [replace(from, to)] },
    });
    const { parts } = await run(await savepointTools(openFor(p)), [
      () => [edit('one', 'two'), edit('two', 'three'), edit('three', 'four')],
    ]);
    expect(parts.filter(({ type }) => type === 'tool-error')).toEqual([]);
    expect(p.read('a.txt')).toBe('four\n');
  });

  it('reads the requested contents', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const edits = [replace('one', '1')];
    const { reported } = await run(await savepointTools(openFor(p)), [
      call('multi_edit', { file_path: 'a.txt', edits, include_content: true }),
    ]);
    expect(reported[0]?.value).toContain('Final content of a.txt (1 line):\n1');
  });
});

describe('the tools', () => {
  it('can be selected; both versions accept their types', async () => {
    const tools = await savepointTools(openFor(project()), { only: ['undo', 'multi_edit'] });
    const for6: ToolSet6 = tools;
    const for7: ToolSet7 = tools;
    expect(Object.keys(for6)).toEqual(['undo', 'multi_edit']);
    expect(for7).toBe(tools);
    // @ts-expect-error was not chosen
    expect(tools.redo).toBeUndefined();
  });

  it('that do not exist are refused, not ignored', async () => {
    const only = ['undo', 'rm'] as unknown as readonly ['undo'];
    await expect(savepointTools(openFor(project()), { only })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'Unknown tool "rm".',
    });
  });

  it('throw a text for the model, with the error as its cause', async () => {
    const { undo } = await savepointTools(openFor(project()));
    const failure = await undo.execute({}, { toolCallId: 'x' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    const { failure: error, message, cause } = failure as ToolFailure;
    expect(error.code).toBe('NO_WORKSPACE');
    expect(cause).toBe(error);
    expect(String(failure)).toBe(message);
    expect(JSON.parse(message)).toEqual({ error: error.toJSON() });
  });

  it('do nothing for a signal that is already aborted', async () => {
    const p = project();
    const { checkpoint_create: create } = await savepointTools(openFor(p));
    const call = create.execute({}, { toolCallId: 'x', abortSignal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ failure: { code: 'CANCELLED' } });
    await expect(openFor(p).list()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  });
});

describe('tools of the agent itself, tracked', () => {
  it('that stream results are recorded until the last one, and read-only tools are not', async () => {
    const p = project();
    const savepoint = openFor(p);
    const session = savepoint.session({ agent: actor, id: 's' });
    await session.start();
    const tools = trackedTools(
      session,
      {
        stream: {
          async *execute() {
            p.write('first', '1\n');
            yield 'half';
            p.write('last', '2\n');
            yield 'all';
          },
        },
        later: { execute: () => p.write('later', '3\n') },
        fails: {
          execute: () => {
            p.write('failed', '4\n');
            throw new Error('it failed');
          },
        },
        reads: { execute: () => p.write('unseen', '5\n') },
      },
      {
        later: { kind: 'write', paths: () => ['later'], writes: () => [{ path: 'later', result: '3\n' }] },
        reads: { track: false },
      },
    );
    const options = (toolCallId: string) => ({ toolCallId });
    const run = (name: keyof typeof tools, id: string): unknown =>
      (tools[name].execute as (input: unknown, options: object) => unknown)({}, options(id));
    const parts: unknown[] = [];
    for await (const part of run('stream', 'c-1') as AsyncIterable<unknown>) parts.push(part);
    await run('later', 'c-2');
    await expect(run('fails', 'c-3')).rejects.toThrow('it failed');
    await run('reads', 'c-4');
    expect(parts).toEqual(['half', 'all']);
    const { checkpoints } = await savepoint.list();
    const reported = [...checkpoints]
      .reverse()
      .map(({ toolCall, changes }) => [toolCall, ...(changes ?? []).map(({ path, by }) => `${path} ${by.grade}`)]);
    expect(reported).toEqual([
      [null],
      ['c-1', 'first likely', 'last likely'],
      ['c-2', 'later sure'],
      ['c-3', 'failed likely'],
    ]);
  });

  it('see the signal of the session, and end with their own, even if they ignore it', async () => {
    const p = project();
    const session = openFor(p).session({ agent: actor, id: 's' });
    await session.prompt('Go.', 'm1');
    await session.prompt('Then.', 'm2');
    const forever = new Promise<void>(() => undefined);
    let started = (): void => {};
    const tools = trackedTools(session, {
      listens: {
        execute: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
          p.write('a', '1\n');
          return new Promise((_resolve, reject) => {
            abortSignal.addEventListener('abort', () => reject(abortSignal.reason));
            started();
          });
        },
      },
      deaf: {
        execute: () => {
          started();
          return forever;
        },
      },
    });
    const run = (name: keyof typeof tools, id: string, abortSignal?: AbortSignal): Promise<unknown> =>
      (tools[name].execute as (input: unknown, options: object) => Promise<unknown>)(
        {},
        { toolCallId: id, abortSignal },
      );
    const running = async (name: keyof typeof tools, id: string, signal?: AbortSignal) => {
      const begun = new Promise<void>((resolve) => {
        started = resolve;
      });
      const ended = run(name, id, signal).catch((error: unknown) => error);
      await begun;
      return { ended };
    };
    const call = await running('listens', 'c-1');
    await session.rollbackTo('m1');
    expect(await call.ended).toMatchObject({ code: 'CANCELLED' });
    expect(fs.existsSync(p.at('a'))).toBe(false);

    const controller = new AbortController();
    const deaf = await running('deaf', 'c-2', controller.signal);
    controller.abort();
    expect(await deaf.ended).toMatchObject({ code: 'CANCELLED' });
    await session.rollbackTo('m1');
    await expect(run('deaf', 'c-3', AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
