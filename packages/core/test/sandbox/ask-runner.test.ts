import type { DiskPath } from '@savepoint/core';
import { type Channel, channelSandbox, type ExchangeResult } from '@savepoint/core/ports';
import { realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';

/** A sandbox that answers whatever the test wants. It knows the nonce, as a hostile one does. */
function saying(
  answer: (nonce: string, asked: Readonly<Record<string, unknown>>) => Partial<ExchangeResult> | string,
): Channel {
  return {
    name: 'hostile',
    async exchange({ input }) {
      const { value } = await input[Symbol.asyncIterator]().next();
      const asked = JSON.parse(Buffer.from(String(value).trim(), 'base64').toString());
      const said = answer(asked.nonce, asked);
      const reported: Partial<ExchangeResult> =
        typeof said === 'string' ? { output: Buffer.from(said, 'latin1') } : said;
      return { output: Buffer.alloc(0), detail: '', status: 0, ended: 'exit', ...reported };
    },
    close: () => Promise.resolve(),
  };
}

const sandboxOf = (channel: Channel) => channelSandbox({ channel, ports: realPorts() });
const run = (channel: Channel) => sandboxOf(channel).run({ id: 'x', command: ['true'], mostBytes: 100 });
const GOOD_END = 'x {"exit":0,"signal":null,"ended":"exit"}\n';

test('output before the greeting is ignored, and the answer is returned', async () => {
  const channel = saying(
    (nonce) => `Welcome!\r\nlast login: never\nsavepoint ${nonce} 20.19.0\no YQ==\ne Yg==\no Yw==\n${GOOD_END}`,
  );
  expect(await run(channel)).toMatchObject({
    stdout: Buffer.from('ac'),
    stderr: Buffer.from('b'),
    exit: 0,
    ended: 'exit',
  });
});

describe('an invalid answer', () => {
  test.each([
    ['goes on behind its end', `${GOOD_END}o YQ==\n`],
    ['says something in between', `hello\n${GOOD_END}`],
    ['says something in between that looks like it', `z YQ==\n${GOOD_END}`],
    ['has an output that is not base64', `o ***\n${GOOD_END}`],
    ['has an empty output', `o \n${GOOD_END}`],
    ['has more output than it may', `o ${Buffer.alloc(101).toString('base64')}\n${GOOD_END}`],
    ['has more output than it may, in parts', `${'o YWFhYWFhYWFhYQ==\n'.repeat(11)}${GOOD_END}`],
    ['ends in no JSON', 'x {"exit":0\n'],
    ['ends in an array', 'x []\n'],
    ['ends in null', 'x null\n'],
    ['ends with a status of no meaning', 'x {"exit":1e9,"signal":null,"ended":"exit"}\n'],
    ['ends with a status that is text', 'x {"exit":"0","signal":null,"ended":"exit"}\n'],
    ['ends with a signal that is none', 'x {"exit":null,"signal":"\\u001b[2J","ended":"exit"}\n'],
    ['ends for no reason that there is', 'x {"exit":0,"signal":null,"ended":"lost"}\n'],
    ['failed with no code', 'x {"failed":"\\u001b[2J","at":"path"}\n'],
    ['failed nowhere', 'x {"failed":"EIO","at":"__proto__"}\n'],
    ['does not say how the command ended', 'x {}\n'],
  ])('it %s', async (_what, text) => {
    await expect(run(saying((nonce) => `savepoint ${nonce} 20.19.0\n${text}`))).rejects.toMatchObject({
      code: 'SANDBOX_ANSWER',
      data: { sandbox: 'hostile' },
    });
  });

  test('a file request gets the answer of a command', async () => {
    const channel = saying((nonce) => `savepoint ${nonce} 20.19.0\no YQ==\n${GOOD_END}`);
    await expect(sandboxOf(channel).read('/x' as DiskPath)).rejects.toMatchObject({ code: 'SANDBOX_ANSWER' });
  });
});

test.each(['', 'o YQ==\n', 'o YQ==\nx {"exit":0,"signal":null,"ended":"exit"}'])(
  'a truncated answer is an error, never a short result: %j',
  async (text) => {
    const channel = saying((nonce) => `savepoint ${nonce} 20.19.0\n${text}`);
    await expect(run(channel)).rejects.toMatchObject({ code: 'SANDBOX_LOST', data: { began: true } });
    await expect(sandboxOf(channel).read('/x' as DiskPath)).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
  },
);

test('a greeting with another nonce is ignored', async () => {
  await expect(run(saying(() => `savepoint ${'0'.repeat(32)} 20.19.0\n${GOOD_END}`))).rejects.toMatchObject({
    code: 'SANDBOX_LOST',
    data: { began: false },
  });
});

test('a write that is answered with a missing file is a failure', async () => {
  const channel = saying((nonce) => `savepoint ${nonce} 20.19.0\nx {"failed":"ENOENT","at":"path"}\n`);
  await expect(sandboxOf(channel).write('/x' as DiskPath, Buffer.alloc(0))).rejects.toMatchObject({ code: 'IO' });
  expect(await sandboxOf(channel).read('/x' as DiskPath)).toBeNull();
});

test.each([
  ['v18.20.4\n', 0, 'SANDBOX_UNFIT'],
  ['', 127, 'SANDBOX_UNFIT'],
  ['v18.20.4 and more\n', 0, 'SANDBOX_LOST'],
])('no greeting, but %j and status %i: %s', async (text, status, code) => {
  await expect(run(saying(() => ({ output: Buffer.from(text), status })))).rejects.toMatchObject({ code });
});

test.each(['node; rm -rf /', '$(x)', '-e', "no'de", 'a b', ''])('%j is not node', (node) => {
  expect(() => channelSandbox({ channel: saying(() => ''), ports: realPorts(), node })).toThrow(
    /not the path of a program/,
  );
});
