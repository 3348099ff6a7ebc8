/** A restore that also takes the conversation of an agent back. */

import { existsSync } from 'node:fs';
import { type OpenOptions, type Savepoint, SavepointError, type SessionId } from '@savepoint/core';
import type { ConversationPlace, ConversationPlan, Conversations } from '@savepoint/core/ports';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

/** A driver of conversations that are nowhere: it records where they went. */
class RecordedConversations implements Conversations {
  readonly planned: ConversationPlace[] = [];
  readonly rewound: ConversationPlace[] = [];
  answer: ConversationPlan = {
    isPossible: true,
    messages: 2,
    prompts: 1,
    removed: [{ role: 'user', text: 'No.' }],
    words: 'No.',
  };
  failure: SavepointError | null = null;
  /** Called before a conversation goes back. */
  onRewind: () => void = () => undefined;

  async plan(place: ConversationPlace): Promise<ConversationPlan> {
    this.planned.push(place);
    return this.answer;
  }

  async rewind(place: ConversationPlace) {
    this.onRewind();
    if (this.failure !== null) throw this.failure;
    this.rewound.push(place);
    return { session: `fork-${this.rewound.length}`, command: ['agent', 'fork'], dir: place.dir };
  }

  async resume({ nativeSession, dir }: Omit<ConversationPlace, 'end'>) {
    return { session: nativeSession, command: ['agent', nativeSession], dir };
  }
}

class Game extends Place {
  readonly driver = new RecordedConversations();
  readonly savepoint: Savepoint = this.with();

  with(options: Partial<OpenOptions> = {}): Savepoint {
    return this.open({ conversations: async () => this.driver, ...options });
  }

  exists(name: string): boolean {
    return existsSync(this.at(name));
  }

  /** A prompt, and a call that writes a file. */
  async turn(session: string, words: string, file: string, agent = 'claude'): Promise<void> {
    const running = this.savepoint.session({ agent, id: session });
    await running.prompt(words, `id of ${words}`);
    await this.call(session, `call of ${words}`, file, agent);
  }

  async call(session: string, id: string, file: string, agent = 'claude', by?: string): Promise<void> {
    const running = this.savepoint.session({ agent, id: session });
    const actor = by === undefined ? {} : { actor: { kind: 'agent', name: agent, id: by } as const };
    await running.call({ tool: 'Write', kind: 'write', id, paths: [file as never], ...actor }, () =>
      this.write(file, id),
    );
  }

  async find(description: RegExp): Promise<string> {
    const { checkpoints } = await this.savepoint.list({ limit: 100 });
    const found = checkpoints.find((one) =>
      description.test(`${one.trigger} ${one.conversation?.lastUser} ${one.toolCall}`),
    );
    return found?.id ?? '';
  }

  async heard(session: string) {
    const {
      operations,
      paths,
      wentBack = false,
    } = await this.savepoint.session({ agent: 'claude', id: session }).operationsByOthers();
    return { operations: operations.map(({ trigger }) => trigger), paths, wentBack };
  }
}

/** Two turns of one session, which write `one` and `two`. */
async function twoTurns(): Promise<Game> {
  const game = new Game();
  await game.savepoint.session({ agent: 'claude', id: 's' }).start();
  await game.turn('s', 'First.', 'one');
  await game.turn('s', 'Second.', 'two');
  return game;
}

describe('the place', () => {
  test('of a prompt is before it', async () => {
    const game = await twoTurns();
    const [first, second] = [await game.find(/^prompt First/), await game.find(/^prompt Second/)];
    await game.savepoint.previewRestore(second, { conversation: true });
    await game.savepoint.previewRestore(first, { conversation: true });
    const place = { agent: 'claude', nativeSession: 's', transcript: null, dir: game.world.workspace };
    const prompts = ['First.', 'Second.'].map((words) => ({ words, time: expect.any(Number) }));
    const end = { kind: 'before-prompt', prompts } as const;
    expect(game.driver.planned).toEqual([
      { ...place, end: { ...end, messageId: 'id of Second.', words: 'Second.', index: 1 } },
      { ...place, end: { ...end, messageId: 'id of First.', words: 'First.', index: 0 } },
    ]);
  });

  test('of a call is after it', async () => {
    const game = await twoTurns();
    await game.savepoint.previewRestore(await game.find(/call of First/), { conversation: true });
    expect(game.driver.planned).toMatchObject([
      { end: { kind: 'after-call', call: 'call of First.', messageId: 'id of First.' } },
    ]);
  });

  test('of another checkpoint is the nearest one before it of the only session that was active since', async () => {
    const game = new Game();
    await game.turn('s', 'First.', 'one');
    game.write('mine', 'mine');
    const { checkpoint } = await game.savepoint.checkpoint();
    await game.turn('s', 'Second.', 'two');
    await game.savepoint.previewRestore(checkpoint.id, { conversation: true });
    expect(game.driver.planned).toMatchObject([
      { nativeSession: 's', end: { kind: 'after-call', call: 'call of First.' } },
    ]);
  });

  test('of the start of a session, or of a checkpoint before it, is before its first prompt', async () => {
    const game = new Game();
    game.write('mine', 'mine');
    const { checkpoint } = await game.savepoint.checkpoint();
    await game.savepoint.session({ agent: 'claude', id: 's' }).start();
    await game.turn('s', 'First.', 'one');
    await game.savepoint.previewRestore(checkpoint.id, { conversation: true });
    await game.savepoint.previewRestore('@session', { conversation: true });
    expect(game.driver.planned.map(({ end }) => end)).toMatchObject([
      { kind: 'before-prompt', words: 'First.' },
      { kind: 'before-prompt', words: 'First.' },
    ]);
  });

  test('of a call by a sub-agent is that of its session', async () => {
    const game = await twoTurns();
    await game.call('s', 'part', 'three', 'claude', 'sub-1');
    await game.savepoint.previewRestore('last', { conversation: true });
    expect(game.driver.planned).toMatchObject([{ end: { kind: 'after-call', call: 'call of Second.' } }]);
  });

  test('has to be chosen if several sessions were active since', async () => {
    const game = new Game();
    game.write('mine', 'mine');
    const { checkpoint } = await game.savepoint.checkpoint();
    await game.turn('session-1', 'First.', 'one');
    await game.turn('other-2', 'Second.', 'two', 'codex');
    const asked = game.savepoint.previewRestore(checkpoint.id, { conversation: true });
    await expect(asked).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/other-2 \(codex\), session-1 \(claude\)/),
    });
    // Another session than the checkpoint's own may be chosen as well.
    await game.savepoint.previewRestore(checkpoint.id, { conversation: true, session: 'other' });
    expect(game.driver.planned).toMatchObject([{ agent: 'codex', nativeSession: 'other-2' }]);
    const unknown = game.savepoint.previewRestore(checkpoint.id, { conversation: true, session: 'x' });
    await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_SESSION' });
  });

  test('is that of the agent inside a command that Savepoint runs', async () => {
    const game = new Game();
    const around = game.savepoint.session({ agent: 'command', id: 'around' });
    await around.start();
    const { id } = await around.begin({ tool: 'run', kind: 'shell', hosts: true });
    await game.turn('s', 'First.', 'one');
    await around.end(id);
    await game.savepoint.previewRestore('cp_1', { conversation: true });
    expect(game.driver.planned).toMatchObject([
      { nativeSession: 's', end: { kind: 'before-prompt', words: 'First.' } },
    ]);
  });

  test('is not known if no session was active since, or nothing has access to conversations', async () => {
    const game = new Game();
    game.write('mine', 'mine');
    const { checkpoint } = await game.savepoint.checkpoint();
    const reason = async (savepoint: Savepoint) =>
      (await savepoint.previewRestore(checkpoint.id, { conversation: true })).conversation;
    expect(await reason(game.savepoint)).toMatchObject({
      agent: null,
      plan: { isPossible: false, reason: `no session of an agent was active since ${checkpoint.id}` },
    });
    await game.turn('s', 'First.', 'one');
    expect(await reason(game.open())).toMatchObject({
      agent: 'claude',
      plan: { isPossible: false, reason: 'this program has no access to conversations' },
    });
  });

  test('has the transcript that the hooks named last', async () => {
    const game = await twoTurns();
    const session = game.savepoint.session({ agent: 'claude', id: 's' });
    const mark = { file: '1:2', offset: 3, isComplete: true, messages: 1, skipped: 0, leaf: null, last: null };
    const rest = { lastAssistant: null, model: null, contextSize: null, version: null };
    await session.followTranscript(() => ({ ...mark, ...rest, path: '/t.jsonl' as never }));
    await game.savepoint.previewRestore('@prompt', { conversation: true });
    expect(game.driver.planned).toMatchObject([{ transcript: '/t.jsonl' }]);
    await expect(session.followTranscript(() => ({ ...mark, ...rest, path: 7 as never }))).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('a restore', () => {
  test('restores the files first, and then the conversation', async () => {
    const game = await twoTurns();
    let files = '';
    game.driver.onRewind = () => {
      files = ['one', 'two'].filter((name) => game.exists(name)).join(' ');
    };
    const preview = await game.savepoint.previewRestore('@prompt', { conversation: true });
    expect(preview.conversation).toMatchObject({ agent: 'claude', session: 's', plan: { messages: 2 } });
    expect(game.driver.rewound).toEqual([]);
    const done = await game.savepoint.restore('@prompt', { conversation: true });
    expect(files).toBe('one');
    expect(done).toMatchObject({
      restored: true,
      conversationRewound: true,
      error: null,
      conversation: {
        agent: 'claude',
        session: 's',
        continue: { session: 'fork-1', command: ['agent', 'fork'], dir: game.world.workspace },
        original: { command: ['agent', 's'] },
      },
    });
    await game.savepoint.undo();
    expect(game.exists('two')).toBe(true);
  });

  test('of the files alone has no conversation', async () => {
    const game = await twoTurns();
    expect(await game.savepoint.restore('@prompt')).toMatchObject({ conversationRewound: false, conversation: null });
    expect(game.driver.planned).toEqual([]);
  });

  test('says so if the conversation cannot go back, and restores the files', async () => {
    const game = await twoTurns();
    game.driver.answer = { isPossible: false, reason: 'it is gone' };
    game.driver.failure = new SavepointError('CONVERSATION_REFUSED', 'It is gone.', {
      agent: 'a',
      session: 's',
      why: 'x',
    });
    const done = await game.savepoint.restore('@prompt', { conversation: true });
    expect(done).toMatchObject({
      restored: true,
      conversationRewound: false,
      error: { code: 'CONVERSATION_REFUSED', hint: expect.stringContaining('The files were restored') },
      conversation: { continue: null, original: { command: ['agent', 's'] } },
    });
    expect(game.exists('two')).toBe(false);
  });

  test('that is refused for the files does not touch the conversation', async () => {
    const game = await twoTurns();
    await game.savepoint.freeze(['two' as never]);
    await expect(game.savepoint.restore('@prompt', { conversation: true })).rejects.toMatchObject({ code: 'FROZEN' });
    expect(game.driver.rewound).toEqual([]);
  });

  test('of the conversation alone leaves the files, and takes no checkpoint', async () => {
    const game = await twoTurns();
    const before = (await game.savepoint.list({ limit: 1 })).checkpoints[0]?.id;
    const preview = await game.savepoint.previewRestore('@prompt', { conversation: 'only' });
    expect(preview).toMatchObject({ plan: { paths: [] }, conversation: { plan: { messages: 2 } } });
    const done = await game.savepoint.restore('@prompt', { conversation: 'only' });
    expect(done).toMatchObject({ restored: false, conversationRewound: true, checkpoint: null, plan: { paths: [] } });
    expect(game.exists('two')).toBe(true);
    expect((await game.savepoint.list({ limit: 1 })).checkpoints[0]?.id).toBe(before);
  });

  test('of the conversation alone is refused if that cannot go back', async () => {
    const game = await twoTurns();
    game.driver.answer = { isPossible: false, reason: 'it is gone' };
    await expect(game.savepoint.restore('@prompt', { conversation: 'only' })).rejects.toMatchObject({
      code: 'CONVERSATION_REFUSED',
      message: 'The conversation cannot go back: it is gone.',
      data: { agent: 'claude', session: 's', why: 'it is gone' },
    });
  });

  test('of the conversation alone fails as a whole if its copy fails', async () => {
    const game = await twoTurns();
    game.driver.failure = new SavepointError('NO_SPACE', 'Full.', { path: 'x' as never, code: 'ENOSPC' });
    await expect(game.savepoint.restore('@prompt', { conversation: 'only' })).rejects.toMatchObject({
      code: 'NO_SPACE',
    });
  });
});

describe('when the conversation continues, its session is informed', () => {
  test('of nothing if the files went back with it', async () => {
    const game = await twoTurns();
    await game.savepoint.restore('@prompt', { conversation: true });
    expect(await game.heard('fork-1')).toEqual({ operations: [], paths: [], wentBack: true });
    expect(await game.heard('fork-1')).toEqual({ operations: [], paths: [], wentBack: false });
  });

  test('of the files that differ if only the conversation went back', async () => {
    const game = await twoTurns();
    await game.savepoint.restore('@prompt', { conversation: 'only' });
    expect(await game.heard('fork-1')).toEqual({ operations: [], paths: ['two'], wentBack: true });
    // From then on, it knows them.
    expect(await game.heard('fork-1')).toEqual({ operations: [], paths: [], wentBack: false });
  });

  test('of what the restore kept', async () => {
    const game = await twoTurns();
    game.write('mine', 'mine');
    await game.savepoint.restore('@prompt', { conversation: true, mode: 'keep-outside' });
    expect(await game.heard('fork-1')).toMatchObject({ paths: ['mine'], wentBack: true });
  });

  test('also after a clean-up', async () => {
    const game = await twoTurns();
    await game.savepoint.restore('@prompt', { conversation: 'only' });
    for (const name of ['three', 'four']) {
      game.write(name, name);
      await game.savepoint.checkpoint();
    }
    await game.savepoint.drop(['last~1']);
    expect((await game.heard('fork-1')).paths).toEqual(['four', 'three', 'two']);
  });

  test('of changes in its scope since then, once, and its scope is what it was then', async () => {
    const game = new Game();
    const session = game.savepoint.session({ agent: 'claude', id: 's' });
    await session.start();
    await game.turn('s', 'First.', 'one');
    game.write('late', 'late');
    await session.mention([['one']]);
    game.write('one', 'of a person');
    await session.prompt('Second.', 'id of Second.');
    const news = async (id: string) =>
      (await game.savepoint.session({ agent: 'claude', id }).scopeNews()).map(({ path }) => path);
    expect(await news('s')).toEqual(['one']);
    await game.call('s', 'call of Second.', 'two');
    await session.mention([['late']]);
    await session.prompt('Third.', 'id of Third.');
    await game.savepoint.restore('before:id of Third.', { conversation: 'only' });
    const scopeOf = async (id: string) =>
      (await game.savepoint.scope()).scopes.find((one) => one.session === id)?.paths.map(({ path }) => path);
    expect(await scopeOf('fork-1')).toEqual(['one', 'late']);
    // What it was told before that place is in its conversation.
    expect(await news('fork-1')).toEqual([]);
    await game.savepoint.restore('before:id of Second.', { conversation: 'only' });
    // A clean-up does not take it away before the conversation goes on.
    await game.savepoint.checkpoint();
    await game.savepoint.drop(['cp_1']);
    expect(await scopeOf('fork-2')).toEqual(['one']);
    expect(await news('fork-2')).toEqual(['one']);
    expect(await news('fork-2')).toEqual([]);
  });

  test('and so is the session itself if only the files went back', async () => {
    const game = await twoTurns();
    await game.heard('s');
    await game.savepoint.restore('@prompt');
    expect(await game.heard('s')).toEqual({ operations: ['restore'], paths: ['two'], wentBack: false });
  });

  test('of its position in the conversation', async () => {
    const game = await twoTurns();
    await game.savepoint.restore('@prompt', { conversation: true });
    const session = game.savepoint.session({ agent: 'claude', id: 'fork-1' as SessionId });
    const checkpoint = await session.start({ conversation: { messages: null, model: 'm' } });
    expect(checkpoint?.conversation).toMatchObject({ lastUser: 'First.', messageId: 'id of First.', model: 'm' });
  });
});

test('the options are checked', async () => {
  const game = await twoTurns();
  for (const wrong of [{ conversation: 'both' }, { conversation: 1 }, { session: 7 }]) {
    await expect(game.savepoint.restore('@prompt', wrong as never)).rejects.toMatchObject({ code: 'USAGE' });
  }
});
