import { mkdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { call, connect, ERAS } from './mcp-server.ts';

describe.each(ERAS)('roots, with a client of %s', (revision) => {
  const offering = (roots: readonly string[], asked: { times: number }) => ({
    args: [],
    capabilities: { roots: {} },
    before: (client: Client): void => {
      client.setRequestHandler('roots/list', () => {
        asked.times++;
        return { roots: roots.map((uri) => ({ uri })) };
      });
    },
  });

  it('come from the client, which is asked once; the first usable one is used', async () => {
    const p = project('with a space');
    p.write('a.txt', 'a\n');
    const asked = { times: 0 };
    const uris = ['file:///', 'file://elsewhere/x', pathToFileURL(p.home).href, pathToFileURL(p.dir).href];
    const client = await connect(p, revision, offering(uris, asked));
    expect(asked.times).toBe(0);
    expect((await call(client, 'checkpoint_create')).data).toMatchObject({ checkpoint: { holds: { files: 1 } } });
    expect((await call(client, 'checkpoint_list')).text).toContain('cp_1');
    expect(asked.times).toBe(1);
    expect(p.ok('list').stdout).toContain('cp_1');
  });

  it('that are unusable are refused by every tool, with a hint', async () => {
    const p = project();
    const client = await connect(p, revision, offering([pathToFileURL(p.home).href], { times: 0 }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(6);
    for (const { name } of tools) {
      const { error } = await call(client, name, name.startsWith('checkpoint_re') ? { checkpoint: 'last' } : {});
      expect(error, name).toMatchObject({ code: 'ROOT_REFUSED', data: { why: 'home' } });
      expect(error.hint).toContain('--root DIR');
    }
  });

  it('are not requested if the server was given a folder', async () => {
    const p = project();
    const asked = { times: 0 };
    const options = offering([pathToFileURL(p.home).href], asked);
    const client = await connect(p, revision, { ...options, args: ['--root', p.dir] });
    expect((await call(client, 'checkpoint_create')).isError).toBeUndefined();
    expect(asked.times).toBe(0);
  });
});

describe('without a usable folder, the server starts and every tool reports it', () => {
  const refusals: readonly [string, (p: ReturnType<typeof project>) => readonly string[], object][] = [
    ['none', () => [], { code: 'USAGE', message: 'This server has no folder to work in.' }],
    ['the file system root', () => ['--root', '/'], { code: 'ROOT_REFUSED', data: { why: 'filesystem-root' } }],
    ['a home folder', (p) => ['--root', p.home], { code: 'ROOT_REFUSED', data: { why: 'home' } }],
    ['what holds a home folder', (p) => ['--root', p.base], { code: 'ROOT_REFUSED', data: { why: 'home' } }],
    ['what is not there', (p) => ['--root', p.at('x')], { code: 'ROOT_REFUSED', data: { why: 'not-a-folder' } }],
  ];

  it.each(refusals)('%s', async (_, args, error) => {
    const p = project();
    const client = await connect(p, '2025-11-25', { args: args(p) });
    for (const name of ['checkpoint_create', 'checkpoint_list', 'undo', 'redo']) {
      expect((await call(client, name)).error, name).toMatchObject(error);
    }
  });

  it('its own folder is used only on request; of several roots, the first usable one', async () => {
    const p = project();
    const client = await connect(p, '2025-11-25', { args: ['--root', '/', '--root', '.'], cwd: p.dir });
    expect((await call(client, 'checkpoint_create')).text).toContain('cp_1');
  });

  it('a folder that is created later is found then', async () => {
    const p = project();
    const client = await connect(p, '2025-11-25', { args: ['--root', p.at('later')] });
    expect((await call(client, 'checkpoint_list')).isError).toBe(true);
    mkdirSync(p.at('later'));
    expect((await call(client, 'checkpoint_list')).isError).toBeUndefined();
  });
});
