import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open, type Session } from '@savepoint/core';
import { type World, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failure } from '../../packages/core/test/failure.ts';

/** A session that goes back to a message of its conversation. */

interface Scene {
  readonly w: World;
  readonly session: Session;
  readonly at: (file: string) => string;
  readonly text: (file: string) => string | null;
  readonly reported: string[];
}

const CONVERSATION = ['m1', 'm2', 'm3', 'm4'].map((id) => ({ id }));

function scene(): Scene {
  const w = world(onTestFinished);
  const savepoint = open({ dir: w.workspace, ports: w.ports, places: w.places });
  const reported: string[] = [];
  savepoint.on('session:aborted', ({ calls }) => void reported.push(`aborted ${calls.join(' ')}`));
  savepoint.on('rollback:completed', ({ session, checkpoint, roots }) => {
    reported.push(`completed ${session} ${checkpoint.id} ${roots}`);
  });
  const at = (file: string): string => `${w.workspace}/${file}`;
  const text = (file: string): string | null => (existsSync(at(file)) ? readFileSync(at(file), 'utf8') : null);
  return { w, session: savepoint.session({ agent: 'mine', id: 's' }), at, text, reported };
}

/** Each of four messages except the last writes a file of its name, and all write `log`. */
async function four({ session, at }: Scene): Promise<void> {
  for (const { id } of CONVERSATION) {
    await session.prompt(`please ${id}`, id);
    await session.call({ tool: 'sh', kind: 'shell', id: `call-${id}` }, () => {
      if (id !== 'm4') writeFileSync(at(id), id);
      writeFileSync(at('log'), `until ${id}\n`);
    });
  }
}

describe('back to a message', () => {
  test('restores the state after its work or before it; the conversation is cut there', async () => {
    for (const { before, files, log, left } of [
      { before: false, files: ['m1', 'm2'], log: 'until m2\n', left: ['m1', 'm2'] },
      { before: true, files: ['m1'], log: 'until m1\n', left: ['m1'] },
    ]) {
      const s = scene();
      await four(s);
      const result = await s.session.rollbackTo('m2', { before, conversation: CONVERSATION });
      expect(result).toMatchObject({ restored: true, conversationRewound: true, error: null });
      expect(result.conversation?.map(({ id }) => id)).toEqual(left);
      expect(['m1', 'm2', 'm3'].filter((file) => s.text(file) !== null)).toEqual(files);
      expect(s.text('log')).toBe(log);
      expect(s.reported).toEqual([`completed s ${result.operation?.checkpoint?.id} 1`]);
      expect(result.operation?.checkpoint?.conversation).toMatchObject({
        messageId: left.at(-1),
        messages: left.length,
      });
    }
  });

  test('changes by a person between two messages belong to the state after the first one', async () => {
    const s = scene();
    await s.session.prompt('one', 'm1');
    await s.session.call({ tool: 'sh', kind: 'shell' }, () => writeFileSync(s.at('a'), 'of m1'));
    writeFileSync(s.at('mine'), 'of a person');
    await s.session.prompt('two', 'm2');
    await s.session.call({ tool: 'sh', kind: 'shell' }, () => writeFileSync(s.at('a'), 'of m2'));
    await s.session.rollbackTo('m1');
    expect([s.text('a'), s.text('mine')]).toEqual(['of m1', 'of a person']);
  });

  test('an abandoned path can be restored, and the newest path of a message is used', async () => {
    const s = scene();
    await four(s);
    await s.session.rollbackTo('m2');
    await s.session.prompt('another way', 'm5');
    await s.session.call({ tool: 'sh', kind: 'shell' }, () => writeFileSync(s.at('m5'), 'm5'));
    const seen = (): readonly string[] => ['m1', 'm2', 'm3', 'm5'].filter((file) => s.text(file) !== null);
    expect(seen()).toEqual(['m1', 'm2', 'm5']);
    await s.session.rollbackTo('m4');
    expect([seen(), s.text('log')]).toEqual([['m1', 'm2', 'm3'], 'until m4\n']);
    await s.session.rollbackTo('m5');
    expect([seen(), s.text('log')]).toEqual([['m1', 'm2', 'm5'], 'until m2\n']);
    await s.session.rollbackTo('m2');
    expect(seen()).toEqual(['m1', 'm2']);
  });

  test('deletes no message: neither in the passed conversation, nor in the records, nor in the data of the agent', async () => {
    const s = scene();
    writeFileSync(s.at('.gitignore'), '.agent/\n');
    mkdirSync(s.at('.agent'));
    await four(s);
    writeFileSync(s.at('.agent/transcript.jsonl'), CONVERSATION.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const savepoint = open({ dir: s.w.workspace, ports: s.w.ports, places: s.w.places });
    const prompts = async (): Promise<readonly (string | undefined)[]> =>
      (await savepoint.list()).checkpoints
        .filter(({ trigger }) => trigger === 'prompt')
        .map(({ conversation }) => conversation?.lastUser);
    const handed = CONVERSATION.map((each) => ({ ...each }));
    await s.session.rollbackTo('m1', { conversation: handed, mode: 'exact' });
    expect(handed).toEqual(CONVERSATION);
    expect(await prompts()).toEqual(['please m4', 'please m3', 'please m2', 'please m1']);
    expect(s.text('.agent/transcript.jsonl')?.split('\n')).toHaveLength(CONVERSATION.length + 1);
    expect((await savepoint.sessions()).sessions).toMatchObject([{ id: 's', prompts: 4 }]);
  });

  test('restores only the files, or cuts only the conversation', async () => {
    const s = scene();
    await four(s);
    const files = await s.session.rollbackTo('m1', { what: 'files', conversation: CONVERSATION });
    expect(files).toMatchObject({ restored: true, conversationRewound: false, error: null });
    expect([files.conversation?.length, s.text('m3')]).toEqual([4, null]);
    const words = await s.session.rollbackTo('m2', { what: 'conversation', conversation: CONVERSATION });
    expect(words).toMatchObject({ restored: false, conversationRewound: true, error: null });
    expect([words.operation, words.conversation?.length, s.text('m2')]).toEqual([null, 2, null]);
    await s.session.call({ tool: 'sh', kind: 'shell' }, () => writeFileSync(s.at('next'), 'x'));
    const { checkpoints } = await open({ dir: s.w.workspace, ports: s.w.ports, places: s.w.places }).list();
    expect(checkpoints[0]?.conversation).toMatchObject({ messageId: 'm2', messages: 2 });
  });

  test('if only the files could be restored, the result says so', async () => {
    const s = scene();
    await four(s);
    const savepoint = open({ dir: s.w.workspace, ports: s.w.ports, places: s.w.places });
    const { store } = (await savepoint.status()).workspace;
    // Another version of Savepoint takes over the store between the two halves.
    savepoint.on('rollback:completed', () => {
      const file = `${store}/workspace.json`;
      const record = JSON.parse(readFileSync(file, 'utf8')) as object;
      for (const name of [file, `${store}/workspace.copy.json`])
        writeFileSync(name, JSON.stringify({ ...record, format: 999 }));
    });
    const session = savepoint.session({ agent: 'mine', id: 's' });
    const result = await session.rollbackTo('m2', { conversation: CONVERSATION });
    expect(result).toMatchObject({ restored: true, conversationRewound: false, error: { code: expect.any(String) } });
    expect([s.text('m2'), s.text('m3')]).toEqual(['m2', null]);
  });

  test('a message without a checkpoint is reported, with the nearest earlier one', async () => {
    const s = scene();
    await four(s);
    const conversation = [{ id: 'm1' }, { id: 'between' }, { id: 'm2' }];
    const error = await failure(s.session.rollbackTo('between', { conversation }));
    expect([error.code, error.data]).toEqual([
      'NO_MESSAGE',
      { message: 'between', nearest: { message: 'm1', checkpoint: 'cp_3' } },
    ]);
    expect((await failure(s.session.rollbackTo('unheard'))).data).toEqual({ message: 'unheard', nearest: null });
    expect((await failure(scene().session.rollbackTo('m1'))).code).toBe('NO_MESSAGE');
    expect(s.reported).toEqual([]);
  });
});

describe('calls in flight', () => {
  test('are aborted and awaited; their changes are reverted, too', async () => {
    const s = scene();
    await four(s);
    let ended = false;
    const working = s.session.call({ tool: 'sh', kind: 'shell', id: 'long' }, async ({ signal }) => {
      writeFileSync(s.at('half'), 'done');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 50)));
      writeFileSync(s.at('last words'), 'of the call');
      ended = true;
      throw signal.reason;
    });
    await until(() => s.text('half') !== null);
    const going = s.session.rollbackTo('m3');
    const [refused, aborted, { aborted: calls }] = await Promise.all([
      until(() => s.reported.length > 0).then(() => failure(s.session.call({ tool: 'sh' }, () => undefined))),
      failure(working),
      going,
    ]);
    expect([refused.code, aborted.code, calls, ended]).toEqual(['CANCELLED', 'CANCELLED', ['long'], true]);
    expect([s.text('half'), s.text('last words'), s.text('m3')]).toEqual([null, null, 'm3']);
    expect(s.reported[0]).toBe('aborted long');
    await s.session.call({ tool: 'sh', kind: 'shell' }, () => writeFileSync(s.at('on'), 'it goes'));
  });

  test('that do not end block it: the caller may stop waiting, and nothing is changed', async () => {
    const s = scene();
    await four(s);
    let release = (): void => {};
    const working = s.session.call({ tool: 'sh', kind: 'shell' }, () => {
      writeFileSync(s.at('half'), 'done');
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await until(() => s.text('half') !== null);
    const giveUp = new AbortController();
    const going = failure(s.session.rollbackTo('m1', { signal: giveUp.signal }));
    await until(() => s.reported.length > 0);
    giveUp.abort();
    expect((await going).code).toBe('CANCELLED');
    expect((await failure(s.session.rollbackTo('m1', { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
    expect([s.text('m3'), s.text('half')]).toEqual(['m3', 'done']);
    release();
    await working;
  });

  test('of another process block it', async () => {
    const s = scene();
    await four(s);
    const other = open({ dir: s.w.workspace, ports: s.w.ports, places: s.w.places }).session({
      agent: 'mine',
      id: 's',
    });
    const { id } = await other.begin({ tool: 'sh', kind: 'shell' });
    const error = await failure(s.session.rollbackTo('m1'));
    expect(error).toMatchObject({ code: 'CALL_OPEN', data: { calls: [{ call: id }] } });
    await other.end(id);
    await s.session.rollbackTo('m1');
    expect(s.text('m2')).toBeNull();
  });
});

describe('later changes by others', () => {
  test('are a conflict, unless the caller keeps or discards them', async () => {
    for (const mode of ['keep-outside', 'exact'] as const) {
      const s = scene();
      await four(s);
      const other = open({ dir: s.w.workspace, ports: s.w.ports, places: s.w.places }).session({ agent: 'other' });
      await other.call({ tool: 'sh', kind: 'shell' }, () => writeFileSync(s.at('theirs'), 'x'));
      writeFileSync(s.at('mine'), 'y');
      const error = await failure(s.session.rollbackTo('m1'));
      expect([error.code, 'paths' in error.data && error.data.paths?.map((reported) => Object(reported).path)]).toEqual(
        ['CONFLICT', ['mine', 'theirs']],
      );
      await s.session.rollbackTo('m1', { mode });
      const kept = mode === 'keep-outside';
      expect([s.text('m2'), s.text('theirs'), s.text('mine')]).toEqual([null, kept ? 'x' : null, kept ? 'y' : null]);
    }
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
