import { project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { answerOf, INITIALIZE, type Message, rawServer, toolCall } from './mcp-server.ts';

const TRACE = /^\s+at .*:\d+:\d+|node:internal|Uncaught/m;

/** Checks that the server still works. */
async function works(server: ReturnType<typeof rawServer>): Promise<void> {
  const own = 1000 + server.messages.length;
  server.send(toolCall(own, 'checkpoint_list'));
  const { result } = await server.until(({ id }) => id === own);
  expect(answerOf(result).data).toMatchObject({ checkpoints: expect.any(Array) });
}

describe('an invalid message is answered, and the next one is served', () => {
  const deep = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000);
  const calling = (args: string): string =>
    `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"checkpoint_create","arguments":${args}}}`;
  const calls = (args: string): string =>
    `{"method":"tools/call","params":{"name":"checkpoint_create","arguments":${args}},"jsonrpc":"2.0","id":5}`;

  const FRAMES: readonly (readonly [string, string | Buffer, number, number | null])[] = [
    ['no JSON', 'hello', -32700, null],
    ['half a message', '{"jsonrpc":"2.0","id":5,"method":"tools/ca', -32700, 5],
    ['no JSON-RPC', '{"id":5}', -32600, null],
    ['a bare value', '42', -32600, null],
    ['null', 'null', -32600, null],
    ['a batch', '[{"jsonrpc":"2.0","id":5,"method":"tools/list"}]', -32600, null],
    ['no UTF-8', Buffer.concat([Buffer.from(calling('{"message":"\xff'), 'latin1'), Buffer.from('"}')]), -32700, 5],
    ['lists in lists', calling(`{"message":${deep('[', ']')}}`), -32600, 5],
    ['objects in objects', calls(deep('{"a":', '}').replace(':}', ':1}')), -32600, 5],
    ['a key twice', calling('{"message":"a","mess\\u0061ge":"b"}'), -32600, 5],
    ['a method that is not there', '{"jsonrpc":"2.0","id":5,"method":"rm"}', -32601, 5],
    ['a tool that is not there', calling('{}').replace('checkpoint_create', 'constructor'), -32602, 5],
  ];

  it('any kind of invalid message', async () => {
    const server = rawServer(project());
    server.send(INITIALIZE);
    for (const [what, frame, code, id] of FRAMES) {
      const before = server.messages.length;
      server.send('', frame);
      const { error, id: reported } = await server.until(
        (message) => message.error !== undefined && server.messages.indexOf(message) >= before,
      );
      expect([what, error?.code, reported]).toEqual([what, code, id]);
      await works(server);
    }
    expect(server.stderr()).not.toMatch(TRACE);
  });

  it('an argument of 100 MB', async () => {
    const server = rawServer(project());
    server.send(INITIALIZE, calls(`{"message":"${'x'.repeat(100 * 1024 * 1024)}"}`));
    const { error } = await server.until(({ id }) => id === 5);
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('16777216') });
    await works(server);
  });

  it('an argument that is long but allowed', async () => {
    const server = rawServer(project());
    server.send(INITIALIZE, calls(`{"message":"${'x'.repeat(8 * 1024 * 1024)}"}`));
    const message = await server.until(({ id }) => id === 5);
    expect(JSON.stringify(message).length).toBeLessThan(200_000);
    await works(server);
  });

  it('arguments of a wrong shape, which are not treated as missing', async () => {
    const server = rawServer(project());
    server.send(INITIALIZE);
    const shapes = [
      '{"__proto__":{"message":"a"}}',
      '{"\\u005f_proto__":1}',
      '{"constructor":1}',
      '{"message":{"toString":1}}',
    ];
    for (const [i, args] of [...shapes, '[]', '"a"', '7'].entries()) {
      server.send(calling(args).replace('"id":5', `"id":${i}`));
      const message = await server.until(({ id }) => id === i);
      if (message.error === undefined) expect(answerOf(message.result).error.code, args).toBe('USAGE');
    }
    server.send(toolCall(100, 'checkpoint_list'));
    const { result } = await server.until(({ id }) => id === 100);
    expect(answerOf(result).data).toMatchObject({ checkpoints: [] });
  });

  it('a flood of calls, some with duplicate ids, some cancelled, some for unknown tools', async () => {
    const server = rawServer(project());
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const frames = Array.from({ length: 200 }, (_, i) => toolCall(i % 20, 'checkpoint_list'));
    server.send(INITIALIZE, ...frames, cancel, { jsonrpc: '2.0', id: 77, result: {} });
    await works(server);
    expect(server.messages.every(({ error }) => error === undefined)).toBe(true);
  });
});

describe('the output', () => {
  it('is bounded, says what is omitted, and contains no control characters', async () => {
    const p = project();
    const server = rawServer(p);
    server.send(INITIALIZE, toolCall(1, 'checkpoint_create', { message: 'a\u001b[31m\u202ered\u0007' }));
    const first = await server.until(({ id }) => id === 1);
    expect(answerOf(first.result).text).toContain('a\\x1b[31m\\u{202e}red\\x07');
    for (let i = 0; i < 1500; i++) p.write(`folder with a long name \u001b[2J/${'n'.repeat(60)}-${i}.txt`, `${i}\n`);
    server.send(toolCall(2, 'checkpoint_diff', { patch: true }));
    const answer = await server.until(({ id }) => id === 2);
    const { text, data } = answerOf(answer.result);
    expect(JSON.stringify(data).length).toBeLessThan(68 * 1024);
    expect(Buffer.byteLength(text)).toBeLessThan(33 * 1024);
    const leftOut = data['left_out'] as readonly { at: string; count: number; of: string }[];
    const changes = data['changes'] as readonly unknown[];
    expect(leftOut.find(({ at }) => at === 'changes')).toMatchObject({ count: 1500 - changes.length, of: 'items' });
    expect(text).toMatch(/left out: \d+ items of changes/);
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('the end', () => {
  it('of the input stops the server with success, also during a call', async () => {
    const p = project();
    for (let i = 0; i < 500; i++) p.write(`${i}.txt`, `${i}\n`);
    const server = rawServer(p);
    server.send(INITIALIZE, toolCall(1, 'checkpoint_create'));
    await server.until(({ id }) => id === 'hello');
    server.child.stdin.end();
    expect(await server.exit).toMatchObject({ status: 0, rest: '' });
    expect(server.stderr()).not.toMatch(TRACE);
    expect(p.run(['verify']).status).not.toBe(4);
  });

  it('of the reader stops the server without a stack trace', async () => {
    const p = project();
    const server = rawServer(p);
    server.send(INITIALIZE);
    await server.until(({ id }) => id === 'hello');
    server.child.stdout.destroy();
    server.send(toolCall(1, 'checkpoint_list'));
    expect(await server.exit).toMatchObject({ status: 1, signal: null });
    expect(server.stderr()).toContain('EPIPE');
    expect(server.stderr()).not.toMatch(TRACE);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('is stopped by %s', async (signal) => {
    const server = rawServer(project());
    server.send(INITIALIZE);
    await server.until(({ id }) => id === 'hello');
    server.child.kill(signal);
    expect(await server.exit).toMatchObject({ rest: '' });
    expect(server.stderr()).not.toMatch(TRACE);
  });

  it('of the server is immediate without input', () => {
    const outcome = project().run(['mcp', '--root', '.']);
    expect(outcome).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});

it('wrong options are reported like those of every command', () => {
  const p = project();
  for (const args of [
    ['mcp', '--rot'],
    ['mcp', 'x'],
    ['--json', 'mcp'],
    ['-C', '/', 'mcp'],
  ]) {
    const { status, stdout } = p.run(args);
    expect([args, status, stdout]).toEqual([args, 2, '']);
  }
  expect(p.ok('help', 'mcp').stdout).toContain('--root');
});

/** In revision 2026-07-28, a client identifies itself in each request. */
it('a request needs no handshake in the stateless revision', async () => {
  const server = rawServer(project());
  const key = (name: string): string => `io.modelcontextprotocol/${name}`;
  const _meta = {
    [key('protocolVersion')]: '2026-07-28',
    [key('clientInfo')]: { name: 'stateless', version: '1' },
    [key('clientCapabilities')]: {},
    'claudecode/toolUseId': 'toolu_01',
  };
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'checkpoint_create', _meta } });
  const { result }: Message = await server.until(({ id }) => id === 1);
  expect(result?.['resultType']).toBe('complete');
  expect(answerOf(result).data).toMatchObject({ checkpoint: { by: 'agent stateless' } });
});
