import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { trackedTools } from '@savepoint/ai-sdk';
import { type JsonName, nameToJson, SavepointError, type TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';
import { AgentAtWork } from '../../packages/agents/test/driver.ts';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';

/** A path means the same file as an argument, in an edit, in a hook, and in a tool of the AI SDK. */

interface Row {
  /** `@` is the folder that contains the workspace. */
  readonly given: string;
  /** Its path in the workspace; null: it is refused. */
  readonly named: string | null;
  /** The path that an edit writes, if different; null: an edit is refused. */
  readonly written?: string | null;
  /** The paths that a call declares to write, if different; null: it declares none, so it may write anywhere. */
  readonly declared?: readonly string[] | null;
}

const ROWS: readonly Row[] = [
  { given: 'a.txt', named: 'a.txt' },
  { given: './/a.txt', named: 'a.txt' },
  { given: 'sub/b.txt', named: 'sub/b.txt' },
  { given: 'sub/b.txt/', named: 'sub/b.txt' },
  { given: '@/workspace/sub/b.txt', named: 'sub/b.txt' },
  { given: '@/way/sub/b.txt', named: 'sub/b.txt' },
  { given: 'to-sub/b.txt', named: 'to-sub/b.txt', written: 'sub/b.txt', declared: ['sub/b.txt'] },
  { given: 'to-b', named: 'to-b', written: 'sub/b.txt', declared: ['to-b', 'sub/b.txt'] },
  { given: 'A.TXT', named: 'A.TXT' },
  { given: 'back\\slash', named: 'back\\slash' },
  { given: 'c:drive', named: 'c:drive' },
  { given: 'é', named: 'é' },
  // It leads outside: the name exists, but what is written there is not in the workspace.
  { given: 'out/c.txt', named: 'out/c.txt', written: null, declared: [] },
  { given: '@/elsewhere/c.txt', named: null, declared: [] },
  { given: '../elsewhere/c.txt', named: null, declared: [] },
  { given: '/', named: null, declared: [] },
  { given: '.git/config', named: null, declared: [] },
  { given: 'sub/../a.txt', named: 'a.txt' },
  { given: '@/workspace/sub/../a.txt', named: 'a.txt' },
  // Where it goes up from is another folder than its name says.
  { given: 'to-sub/../a.txt', named: null, declared: null },
  { given: '', named: null, declared: null },
  { given: 'a\0b', named: null, declared: null },
  { given: 'x'.repeat(5_000), named: null, declared: null },
];

/** A new one for each row. */
function agentIn(): { readonly p: AgentAtWork; readonly at: (given: string) => string } {
  const p = new AgentAtWork('claude');
  const top = Buffer.from(p.world.folder, 'latin1').toString();
  mkdirSync(p.at('sub'));
  mkdirSync(`${top}/elsewhere`);
  symlinkSync('workspace', `${top}/way`);
  symlinkSync('sub', p.at('to-sub'));
  symlinkSync('sub/b.txt', p.at('to-b'));
  symlinkSync('../elsewhere', p.at('out'));
  for (const name of ['a.txt', 'A.TXT', 'back\\slash', 'c:drive', 'é', 'sub/b.txt', '../elsewhere/c.txt']) {
    writeFileSync(p.at(name), 'x\n');
  }
  return { p, at: (given) => given.replace('@', top) };
}

const textOf = ({ path }: { readonly path: TreePath }) => nameToJson(path);

async function orRefused<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (error instanceof SavepointError && ['PATH_REFUSED', 'EDITS_REFUSED'].includes(error.code)) return null;
    throw error;
  });
}

describe.each(ROWS)('$given', ({ given, named, written = named, declared = named === null ? null : [named] }) => {
  it('is the same path for every front end', async () => {
    const { p, at } = agentIn();
    const path = at(given);
    const savepoint = p.open();

    const frozen = await orRefused(VERBS.freeze.handle(savepoint, { paths: [path] }, {}));
    expect(frozen?.frozen.map((one) => one.path) ?? null, 'as an argument').toEqual(named === null ? null : [named]);
    if (named !== null) await VERBS.unfreeze.handle(savepoint, { paths: [path] }, {});

    const edits = [{ old_string: 'x', new_string: 'y' }];
    const edited = await orRefused(VERBS.edit.handle(savepoint, { files: [{ file_path: path, edits }] }, {}));
    const [last] = edited === null ? [] : (await savepoint.list({ limit: 1 })).checkpoints;
    expect(last?.changes?.map(textOf) ?? null, 'in an edit').toEqual(written === null ? null : [written]);

    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    await p.send(e.call('Write', { file_path: path, content: 'y\n' }).pre);
    const session = savepoint.session({ agent: 'claude', id: e.session });
    const [open] = await session.openCalls();
    expect(open?.declared?.map(nameToJson) ?? null, 'in an event').toEqual(declared);

    const own = savepoint.session({ agent: 'own' });
    let seen: readonly JsonName[] | null = null;
    const execute = async () => {
      seen = (await own.openCalls())[0]?.declared?.map(nameToJson) ?? [];
    };
    const { write } = trackedTools(own, { write: { execute } }, { write: { paths: () => [path] } });
    const options = { toolCallId: 'c', messages: [] };
    await orRefused((write.execute as (input: unknown, options: object) => Promise<unknown>)({}, options));
    // A tool whose path is refused does not start: what it would write could not be rolled back.
    expect(seen, "in a tool's input").toEqual(declared?.length === 0 ? null : declared);
  });
});
