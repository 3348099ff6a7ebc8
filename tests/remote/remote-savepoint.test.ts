import fs from 'node:fs';
import path from 'node:path';
import type { JsonName, TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { e2bSandbox } from '@savepoint/e2b';
import { realPorts } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { standIn } from '../../packages/e2b/test/stand-in.ts';
import { Inside, remoteProgram, withNode } from './inside.ts';
import { surveyInside, workInside } from './work.ts';

describe('a workspace in a sandbox', () => {
  it('an agent works there, and every way to revert works from outside', async () => {
    await workInside(new Inside());
  });

  it('its repositories and their contents are listed', async () => {
    await surveyInside(new Inside());
  });

  it('one of E2B, on a stand-in, works in the same way', async () => {
    await surveyInside(new Inside((env) => e2bSandbox({ sandbox: standIn(env), ports: realPorts() })));
  });

  it('has every verb', () => {
    expect(Object.keys(new Inside().open())).toEqual(expect.arrayContaining([...Object.keys(VERBS), 'session']));
  });

  it('an edit, a session and names that are not text are transferred unchanged', async () => {
    const inside = new Inside();
    const savepoint = inside.open();
    fs.writeFileSync(Buffer.from(`${inside.world.workspace}/caf\xe9`, 'latin1'), 'x');
    const edits = [{ op: 'create' as const, content: 'ünï\n' }];
    await savepoint.edit({ files: [{ file_path: 'ü.txt', edits }] });
    expect(inside.read('ü.txt')).toBe('ünï\n');
    const { changes } = await savepoint.show({ checkpoint: 'last' });
    expect(changes).toMatchObject([{ path: 'ü.txt' }]);
    const { paths } = (await savepoint.restore({ checkpoint: 'cp_1', paths: [{ b64: 'Y2Fm6Q==' }], dryRun: true }))
      .plan;
    expect(paths).toEqual([]);
    await expect(savepoint.edit({ files: [{ file_path: 'gone', edits: [{ op: 'delete' }] }] })).rejects.toMatchObject({
      code: 'EDITS_REFUSED',
      data: { details: [{ file_path: 'gone' }] },
    });
  });

  it('what a tool reports to write, and how long it ran, is evidence there, too', async () => {
    const inside = new Inside();
    const path = 'a.txt' as TreePath;
    inside.write(path, 'one\n');
    await inside.open().checkpoint({});
    const session = inside.open().session({ agent: 'tester' });
    const result = [{ old: 'one', new: 'two', all: false }];
    const begun = await session.begin({ tool: 'Edit', kind: 'edit', paths: [path], writes: [{ path, result }] });
    inside.write(path, 'two\n');
    expect(await session.end(begun.id)).toMatchObject({ changes: [{ path, grade: 'sure', evidence: 'content' }] });

    const shell = await session.begin({ tool: 'Bash', kind: 'shell' });
    inside.write(path, 'three\n');
    const written = Date.now();
    // An end may be reported two seconds late.
    await expect.poll(() => Date.now() - written, { timeout: 20_000 }).toBeGreaterThan(2_100);
    const { changes } = await session.end(shell.id, { ranMs: 0 });
    expect(changes).toMatchObject([{ path, evidence: 'beyond' }]);
    await expect(session.end(shell.id, { ranMs: -1 })).rejects.toMatchObject({ code: 'USAGE' });

    const write = await session.begin({ tool: 'Write', kind: 'write', paths: [path] });
    inside.write(path, 'mine\n');
    expect(await session.end(write.id, { writes: [] })).toMatchObject({ changes: [{ path, evidence: 'beyond' }] });
    await session.call({ tool: 'Write', kind: 'write', paths: [path] }, ({ report }) => {
      inside.write(path, 'its\n');
      report([{ path, found: 'mine\n', result: 'its\n' }]);
    });
    expect(await inside.open().show({ checkpoint: 'last' })).toMatchObject({ changes: [{ path, grade: 'sure' }] });
    await session.call({ tool: 'Write', kind: 'write', paths: [path] }, ({ report }) => {
      inside.write(path, 'of both\n');
      report([{ path, found: 'its\n', result: 'of both\n', changedByUser: true }]);
    });
    expect(await inside.open().show({ checkpoint: 'last' })).toMatchObject({ changes: [{ path, grade: 'likely' }] });
    const bad = [{ path, result: 7 }] as never;
    await expect(session.begin({ tool: 'Edit', writes: bad })).rejects.toMatchObject({ code: 'USAGE' });
    const outside = [{ path: '../x' as TreePath, result: null }];
    await expect(session.begin({ tool: 'Edit', writes: outside })).rejects.toMatchObject({ code: 'PATH_REFUSED' });
  });

  it('what is wrong with an argument is told as it is for a folder on this machine', async () => {
    const inside = new Inside();
    inside.write('a.txt', 'one\n');
    const savepoint = inside.open();
    await savepoint.checkpoint({});
    const replace = { old_string: 'absent', new_string: 'x' };
    const files = [
      { file_path: 'a.txt', edits: [replace] },
      { file_path: 'b.txt', edits: [{ op: 'append' }] },
    ];
    await expect(savepoint.edit({ files } as never)).rejects.toMatchObject({
      code: 'USAGE',
      data: {
        argument: expect.stringMatching(/^files\.1\.edits\.0/),
        issues: [{ at: expect.stringMatching(/^files\.1\.edits\.0/), message: expect.any(String) }],
        details: [{ file_path: 'a.txt', code: 'EDIT_FAILED' }],
      },
    });
    const loose = savepoint as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>;
    for (const [call, given, argument] of [
      ['restore', { checkpoint: 7 }, 'checkpoint'],
      ['restore', { checkpoint: 'last', path: ['a.txt'] }, 'request'],
      ['restore', undefined, 'input'],
      ['list', { limit: 1n }, 'input'],
    ] as const) {
      await expect(loose[call]?.(given)).rejects.toMatchObject({ code: 'USAGE', data: { argument } });
    }
    const session = savepoint.session({ agent: 'tester' });
    const circular: { self?: unknown } = {};
    circular.self = circular;
    await session.call({ tool: 'Other', args: circular }, () => inside.write('a.txt', 'two\n'));
    const bad: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => session.begin(undefined as never), 'request'],
      [() => session.begin({ tool: 'Write', path: ['a.txt'] } as never), 'request.path'],
      [() => session.prompt(7 as never), 'text'],
      [() => session.end('x', { ranMs: '1' } as never), 'end.ranMs'],
      [() => session.call({ tool: 'Write' }, undefined as never), 'work'],
    ];
    for (const [call, argument] of bad) {
      await expect(call()).rejects.toMatchObject({ code: 'USAGE', data: { argument } });
    }
    expect(() => savepoint.session({} as never)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect((await savepoint.list({})).checkpoints).toHaveLength(2);
  });

  it('permissions of people and agents are enforced there', async () => {
    const inside = new Inside();
    inside.write('a.txt', 'one\n');
    await inside.open().checkpoint({});
    await inside.open().freeze({ paths: ['a.txt'] });
    inside.write('a.txt', 'two\n');
    await expect(inside.open({ agent: 'tester' }).restore({ checkpoint: 'cp_1', force: true })).rejects.toMatchObject({
      code: 'FROZEN',
    });
    expect(await inside.open().restore({ checkpoint: 'cp_1', force: true })).toMatchObject({ outcome: 'done' });
  });

  it('a negative result is returned as a result', async () => {
    const inside = new Inside();
    inside.write('a.txt', 'one\n');
    await inside.open().checkpoint({});
    const store = inside.world.places.home;
    for (const name of fs.readdirSync(store, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.pack')) continue;
      const bytes = fs.readFileSync(path.join(store, name));
      bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
      fs.chmodSync(path.join(store, name), 0o600);
      fs.writeFileSync(path.join(store, name), bytes);
    }
    const found = await inside.open().verify({ deep: true });
    expect(found.damage).not.toEqual([]);
  });
});

describe('the uploaded program', () => {
  it('is one private file, uploaded once', async () => {
    const inside = new Inside();
    await inside.open().workspaces({});
    const [file = '', ...more] = inside.uploaded();
    expect(more).toEqual([]);
    expect(file).toMatch(/^savepoint-[0-9a-f]{64}\.mjs$/);
    const before = fs.statSync(path.join(inside.cache, file));
    expect([before.mode & 0o777, fs.statSync(inside.cache).mode & 0o777]).toEqual([0o600, 0o700]);
    await inside.open().workspaces({});
    expect(fs.statSync(path.join(inside.cache, file)).ino).toBe(before.ino);
  });

  it('can coexist with another version, and each client uses its own', async () => {
    const inside = new Inside();
    await inside.open().workspaces({});
    const other = Buffer.concat([remoteProgram, Buffer.from('\n// another version\n')]);
    await inside.open({ program: other }).workspaces({});
    expect(inside.uploaded()).toHaveLength(2);
  });

  it.each([
    ['was cut off', (bytes: Buffer) => bytes.subarray(0, 1000)],
    ['is another program', () => Buffer.from('console.log("{}")')],
    ['is empty', () => Buffer.alloc(0)],
  ])('is uploaded again if the existing file %s', async (_what, damage) => {
    const inside = new Inside();
    await inside.open().workspaces({});
    const file = path.join(inside.cache, inside.uploaded()[0] ?? '');
    fs.writeFileSync(file, damage(remoteProgram));
    expect(await inside.open().workspaces({})).toMatchObject({ workspaces: [] });
    expect(fs.readFileSync(file).equals(remoteProgram)).toBe(true);
  });

  it.each([
    ['removed', (inside: Inside) => fs.rmSync(inside.cache, { recursive: true })],
    [
      'changed',
      (inside: Inside, other: string) => fs.writeFileSync(path.join(inside.cache, inside.uploaded()[0] ?? ''), other),
    ],
  ])('is uploaded again for the same handle if a call in the sandbox has %s it', async (_what, damage) => {
    const inside = new Inside();
    const savepoint = inside.open();
    await savepoint.workspaces({});
    const ran = path.join(inside.world.folder, 'ran');
    damage(inside, `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(ran)}, ''); console.log('{}');`);
    expect(await savepoint.workspaces({})).toMatchObject({ workspaces: [] });
    expect(fs.readFileSync(path.join(inside.cache, inside.uploaded()[0] ?? '')).equals(remoteProgram)).toBe(true);
    expect(fs.existsSync(ran)).toBe(false);
  });

  it('is not run if it was changed during the upload', async () => {
    const inside = new Inside();
    const { sandbox } = inside;
    const ran = path.join(inside.world.folder, 'ran');
    const other = Buffer.from(`import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(ran)}, '');`);
    const swapping = { ...sandbox, write: (file: JsonName) => sandbox.write(file, other) };
    const savepoint = Object.assign(inside, { sandbox: swapping }).open();
    for (const _time of [1, 2]) {
      await expect(savepoint.workspaces({})).rejects.toMatchObject({ code: 'SANDBOX_ANSWER' });
    }
    expect(fs.existsSync(ran)).toBe(false);
  });

  it('is not uploaded to a folder that others may write to', async () => {
    const inside = new Inside();
    fs.mkdirSync(inside.cache, { mode: 0o700 });
    fs.chmodSync(inside.cache, 0o777);
    await expect(inside.open().workspaces({})).rejects.toMatchObject({
      code: 'STORE_UNSAFE',
      data: { path: inside.cache },
    });
    expect(inside.uploaded()).toEqual([]);
  });
});

describe('an unusable sandbox', () => {
  it.each([
    ['v18.20.4', 'echo v18.20.4', '18.20.4'],
    ['v20.18.3', 'echo v20.18.3', '20.18.3'],
    ['nothing that answers', 'exit 127', null],
  ])('node is %s', async (_what, script, found) => {
    const inside = withNode(script);
    const reported = inside.open().status({});
    if (found === null) await expect(reported).rejects.toMatchObject({ code: 'SANDBOX_ANSWER' });
    else await expect(reported).rejects.toMatchObject({ code: 'SANDBOX_UNFIT', data: { found, wanted: '20.19' } });
  });

  it('a node that reports an older version', async () => {
    const old = `exec "$NODE" --import 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.18.9"})' "$@"`;
    await expect(withNode(old).open().status({})).rejects.toMatchObject({
      code: 'SANDBOX_UNFIT',
      data: { found: '20.18.9' },
    });
  });

  it('no node', async () => {
    await expect(new Inside().open({ node: 'no-such-node' }).status({})).rejects.toMatchObject({
      code: 'SANDBOX_UNFIT',
      data: { found: null },
    });
  });
});

/** Every step but the last works as usual; for the last one, the script answers. */
function answering(script: string): Inside {
  // The check of the uploaded file runs as usual. A request names the file.
  return withNode(`case "$5" in *.mjs) ;; *) exec "$NODE" "$@";; esac\n${script}`);
}

describe('a sandbox with arbitrary answers', () => {
  it.each([
    ['nothing', 'exit 0'],
    ['no JSON', 'echo hello'],
    ['JSON of another shape', `echo '{"workspaces":[{"id":1}]}'`],
    ['a field more', `echo '{"workspaces":[],"damaged":[],"__proto__":{"x":1},"more":1}'`],
    ['half of it', `echo '{"workspaces":['`],
    ['bytes that are not text', `printf '{"workspaces":["\\377"]}'`],
    ['a failure of no code', `echo '{"error":{"code":"NONSENSE","message":"","data":{},"hint":""}}' >&2; exit 1`],
    ['a failure that says 0', `echo '{"error":{"code":"LOCKED","message":"m","data":{},"hint":""}}' >&2; exit 0`],
    [
      'a failure with another status',
      `echo '{"error":{"code":"LOCKED","message":"m","data":{},"hint":""}}' >&2; exit 4`,
    ],
    ['a status of no meaning', 'exit 77'],
    [
      '100 MB',
      `exec "$NODE" -e 'const b = Buffer.alloc(1e6, 97); for (let i = 0; i < 100; i++) process.stdout.write(b)'`,
    ],
  ])('%s is not an answer', async (_what, script) => {
    const inside = answering(script);
    await expect(inside.open().workspaces({})).rejects.toMatchObject({
      code: 'SANDBOX_ANSWER',
      data: { sandbox: 'local' },
    });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('a real failure is received with code, data and hint', async () => {
    const reported = `{"error":{"code":"LOCKED","message":"m","data":{"pid":7},"hint":"wait"}}`;
    await expect(answering(`echo '${reported}' >&2; exit 1`).open().workspaces({})).rejects.toMatchObject({
      code: 'LOCKED',
      message: 'm',
      data: { pid: 7 },
      hint: 'wait',
    });
  });

  it('no answer: the connection is lost after the timeout', async () => {
    const inside = answering('exec sleep 600');
    await expect(inside.open({ timeoutMs: 500 }).workspaces({})).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      data: { began: true },
    });
  });

  it('a signal ends the command inside', async () => {
    const inside = answering(`echo $$ > "$SAVEPOINT_HOME/pid"; exec sleep 600`);
    const controller = new AbortController();
    const asked = inside
      .open()
      .workspaces({}, { signal: controller.signal })
      .catch((error: unknown) => error);
    const file = path.join(inside.world.places.home, 'pid');
    while (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    expect(await asked).toMatchObject({ code: 'SANDBOX_LOST', data: { began: true, detail: 'aborted' } });
    expect(fs.existsSync(`/proc/${fs.readFileSync(file, 'utf8').trim()}/cmdline`)).toBe(false);
  });

  it('a signal that is already aborted cancels the call', async () => {
    const inside = new Inside();
    await expect(inside.open().status({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(inside.uploaded()).toEqual([]);
  });
});
