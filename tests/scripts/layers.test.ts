import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkLayers } from '../../scripts/check-layers.mjs';
import { blankNonCode, readSource } from '../../scripts/layers/read-source.mjs';
import { folderOf } from './folder-of.ts';

/** Breaches as `rule file:line found`, for files of the engine given without their common path. */
function breachesIn(files: Readonly<Record<string, string>>): string[] {
  const placed = Object.entries(files).map(([path, text]) => [
    path.includes('packages/') ? path : `${ENGINE}${path}`,
    text,
  ]);
  return checkLayers(folderOf({ [`${ENGINE}index.ts`]: '', ...Object.fromEntries(placed) })).map(
    ({ rule, path, line, found }) => `${rule} ${path.replace(ENGINE, '')}:${line} ${found}`,
  );
}
const ENGINE = 'packages/core/src/';

describe('order', () => {
  it.each([
    [
      'a lower layer imports a higher one',
      { 'store/a.ts': "import { b } from '../workspace/b.ts';" },
      'store imports workspace',
    ],
    ['an import of a type', { 'io/a.ts': "\nimport type { B } from '../store/b.ts';" }, 'io imports store'],
    ['an export from a higher layer', { 'model/a.ts': "export * from '../io/fs.ts';" }, 'model imports io'],
    [
      'layers of the same level',
      { 'timeline/a.ts': "import { b } from '../transaction/b.ts';" },
      'timeline imports transaction',
    ],
    [
      'the façade from a layer',
      { 'rewind/a.ts': "import { open } from '../savepoint.ts';" },
      'rewind imports savepoint.ts',
    ],
    [
      'the index from the façade',
      { 'savepoint.ts': "import { x } from './index.ts';" },
      'savepoint.ts imports index.ts',
    ],
    [
      'content imports more than model',
      { 'content/a.ts': "import { b } from '../code/b.ts';" },
      'content imports code',
    ],
    ['a type written as import()', { 'io/a.ts': "type B = import('../store/b.ts').B;" }, 'io imports store'],
    [
      'a file outside the engine',
      { 'io/a.ts': "import { b } from '../../../cli/src/b.ts';" },
      '../../../cli/src/b.ts is outside the engine',
    ],
    ['an unknown layer', { 'attic/a.ts': '' }, 'layer attic is not in the order'],
  ])('reports %s', (_, files, found) => {
    const [path, text] = Object.entries(files)[0] ?? ['', ''];
    const line = text.startsWith('\n') ? 2 : 1;
    expect(breachesIn(files)).toEqual([`order ${path}:${line} ${found}`]);
  });

  it('lets a layer import lower layers and itself', () => {
    const text =
      "import { a } from '../model/a.ts';\nimport { b } from '../content/b.ts';\nimport { c } from './c.ts';";
    expect(breachesIn({ 'transaction/a.ts': text })).toEqual([]);
  });
});

describe('ports', () => {
  it.each([
    ["import { readFileSync } from 'node:fs';", 'import of node:fs'],
    ["import { readFile } from 'node:fs/promises';", 'import of node:fs/promises'],
    ["import fs from 'fs';", 'import of fs'],
    ["const os = await import('node:os');", 'import of node:os'],
    ['const x = await import(name);', 'an import of a computed module'],
    ["import { nodeFs } from '../io/node/fs.ts';", 'import of the driver ../io/node/fs.ts'],
    ['console.log(1);', 'console'],
    ['const home = process.env.HOME;', 'process.'],
    ["const home = globalThis.process['env'];", 'globalThis.process['],
    ['const { env } = process;', '= process'],
    ['const t = Date.now();', 'Date.now'],
    ['const t = Date();', 'Date('],
    ['const t = new Date();', 'new Date'],
    ['const t = new Date;', 'new Date'],
    ['const t = performance.now();', 'performance.'],
    ['setTimeout(act, 5);', 'setTimeout'],
    ['const n = Math.random();', 'Math.random'],
    ["import { randomBytes } from 'node:crypto';", 'randomBytes'],
    ['const x = `${`a ${Date.now()}`}`;', 'Date.now'],
  ])('reports %s', (text, found) => {
    expect(breachesIn({ 'workspace/a.ts': text })).toEqual([`ports workspace/a.ts:1 ${found}`]);
  });

  it('allows pure modules, dates of given times, and members with the same names', () => {
    const text = [
      "import { createHash } from 'node:crypto';",
      "import { deflateRawSync } from 'node:zlib';",
      'const t = new Date(ports.clock.now());',
      'const u = this.processes.self(), v = entry.process, w = { console: 1 };',
      '// console.log(process.env, Date.now())',
      "const text = 'console.log(process.env)' + `Math.random() ${1}` + /process.env/.source;",
    ].join('\n');
    expect(breachesIn({ 'workspace/a.ts': text })).toEqual([]);
  });

  it('lets the drivers and node.ts use the machine', () => {
    const text = "import { openSync } from 'node:fs';\nexport const now = () => Date.now() + process.pid;";
    expect(breachesIn({ 'io/node/fs.ts': text, 'node.ts': `${text}\nimport './io/node/fs.ts';` })).toEqual([]);
    expect(breachesIn({ 'store/node-fs.ts': text })).not.toEqual([]);
  });
});

describe('one writer', () => {
  it.each([
    ['fs.rename(a, b);', 'fs.rename'],
    ['this.#fs.unlink(path);', 'fs.unlink'],
    ['ports.fs?.openNew(path, 0o600);', 'fs?.openNew'],
    ['ports.fs\n  .write(fd, bytes, 0);', 'fs .write'],
    ["fs['unlink'](path);", 'fs['],
    ['const { makeFolder } = ports.fs;', '{ makeFolder } = ports.fs'],
    ['const act = fs.chmod;', 'fs.chmod'],
    ["import { durableWrite } from '../io/durable-write.ts';", 'import of durableWrite'],
    ["import { removeTree as clean } from '../io/durable-write.ts';", 'import of removeTree'],
  ])('reports %s', (text, found) => {
    expect(breachesIn({ 'rewind/a.ts': text })).toEqual([`one-writer rewind/a.ts:1 ${found}`]);
  });

  it.each(['function act(disk: Fs) {}', 'const disk = ports.fs;', 'const { fs: disk } = ports;'])(
    'reports a port under another name: %s',
    (text) => {
      expect(breachesIn({ 'rewind/a.ts': text })).toEqual([
        expect.stringMatching(/^one-writer rewind\/a\.ts:1 .*call the port fs/),
      ]);
    },
  );

  it('lets the port, the store and the transaction change files, and all layers read them', () => {
    const changing = 'fs.rename(a, b);';
    const reading =
      'const fs = ports.fs;\nconst { lstat } = fs;\nfs.list(path);\nconst use = (fs: Fs) => fs.openRead(path);';
    expect(
      breachesIn({ 'io/a.ts': changing, 'store/a.ts': changing, 'transaction/a.ts': changing, 'rewind/a.ts': reading }),
    ).toEqual([]);
  });
});

describe('one caller of transactions', () => {
  it.each([
    "import { runTransaction } from '../transaction/transaction.ts';",
    "await import('../transaction/transaction.ts');",
  ])('reports %s in every layer except operation', (text) => {
    expect(breachesIn({ 'bundle/a.ts': text, 'operation/a.ts': text })).toEqual([
      'one-caller bundle/a.ts:1 import of transaction/transaction.ts',
    ]);
  });

  it('lets other modules of the transaction be imported', () => {
    const text = "import type { Publication } from '../transaction/transition.ts';";
    expect(breachesIn({ 'engine/a.ts': text })).toEqual([]);
  });
});

describe('packages', () => {
  it.each([
    ['model/a.ts', "import * as z from 'zod';", 'model imports zod'],
    ['content/a.ts', "import ignore from 'ignore';", 'content imports ignore'],
    ['edit/a.ts', "import ignore from 'ignore';", 'edit imports ignore'],
    ['verbs/a.ts', "import { x } from '@savepoint/testkit';", 'import of @savepoint/testkit'],
  ])('reports in %s: %s', (path, text, found) => {
    expect(breachesIn({ [path]: text })).toEqual([`packages ${path}:1 ${found}`]);
  });
});

describe('front ends', () => {
  it.each([
    ["import { x } from '@savepoint/core/src/store/lock.ts';", 'import of @savepoint/core/src/store/lock.ts'],
    ["import { x } from '../../core/src/index.ts';", 'import of ../../core/src/index.ts'],
    ["import { world } from '@savepoint/testkit';", 'import of @savepoint/testkit'],
  ])('reports %s', (text, found) => {
    const path = 'packages/cli/src/main.ts';
    expect(breachesIn({ [path]: text })).toEqual([`front-ends ${path}:1 ${found}`]);
  });

  it('reports a front end that loads another one, and tools that import the library of the protocol', () => {
    const frontEnd = "await import('@savepoint/mcp');";
    const library = "import { Server } from '@modelcontextprotocol/server';";
    expect(
      breachesIn({ 'packages/cli/src/run.ts': frontEnd, 'packages/cli/src/commands/agents/mcp.ts': frontEnd }),
    ).toEqual(['front-ends packages/cli/src/run.ts:1 import of @savepoint/mcp']);
    expect(breachesIn({ 'packages/mcp/src/tools/a.ts': library, 'packages/mcp/src/server.ts': library })).toEqual([
      'front-ends packages/mcp/src/tools/a.ts:1 import of @modelcontextprotocol/server',
    ]);
    expect(breachesIn({ 'packages/ai-sdk/src/a.ts': "import type { ToolSet } from 'ai';" })).toEqual([
      'front-ends packages/ai-sdk/src/a.ts:1 import of ai',
    ]);
  });

  it('lets a front end use the entries, its own files and node', () => {
    const text =
      "import { x } from '@savepoint/core';\nimport '@savepoint/core/node';\nimport '@savepoint/core/tools';\nimport './a.ts';\nimport 'node:fs';\nconsole.log(x);";
    expect(breachesIn({ 'packages/cli/src/main.ts': text })).toEqual([]);
  });
});

describe('names', () => {
  it.each(['store/utils.ts', 'store/util/a.ts', 'io/path-utils.ts', 'store/helpers.ts', 'store/lock-manager.ts'])(
    'reports %s',
    (path) => {
      expect(breachesIn({ [path]: '' })).toEqual([expect.stringMatching(/^names /)]);
    },
  );
});

describe('cycles', () => {
  it('reports an import cycle, also of types', () => {
    const files = {
      'store/a.ts': "import { b } from './b.ts';",
      'store/b.ts': "\nimport type { C } from './deep/c.ts';",
      'store/deep/c.ts': "import { a } from '../a.ts';",
    };
    expect(breachesIn(files)).toEqual(['cycles store/deep/c.ts:1 a.ts → b.ts → c.ts → a.ts']);
  });

  it('lets two files import a third', () => {
    const files = {
      'store/a.ts': "import './b.ts'; import './c.ts';",
      'store/b.ts': "import './c.ts';",
      'store/c.ts': '',
    };
    expect(breachesIn(files)).toEqual([]);
  });
});

describe('the command', () => {
  const script = fileURLToPath(new URL('../../scripts/check-layers.mjs', import.meta.url));
  const run = (top: string) => spawnSync(process.execPath, [script, top], { encoding: 'utf8' });

  it('fails and prints location, finding and reason of each breach', () => {
    const { status, stderr } = run(folderOf({ [`${ENGINE}verbs/a.ts`]: 'const t = 1;\nconsole.log(t);' }));
    expect(status).toBe(1);
    expect(stderr).toContain(`${ENGINE}verbs/a.ts:2  [ports] console\n    The engine never prints`);
  });

  it('succeeds for a tree that keeps the rules', () => {
    expect(run(folderOf({ [`${ENGINE}index.ts`]: '' })).status).toBe(0);
  });
});

describe('reading sources', () => {
  it('keeps all positions when it blanks what is not code', () => {
    const text = "a('x\\'y', /[/'\"]/g, b / c / d, `t ${ { k: `u ${e}` } } '`); // f\n/* g\n */ h";
    const code = blankNonCode(text);
    expect(code).toHaveLength(text.length);
    expect(code.split('\n')).toHaveLength(3);
    for (const kept of ['a', 'b / c / d', 'k', 'e', 'h']) expect(code.indexOf(kept)).toBe(text.indexOf(kept));
    for (const gone of ['x', 'y', 't ', 'u ', 'f', 'g\n']) expect(code).not.toContain(gone);
  });

  it('finds imports over several lines, with the imported names', () => {
    const text =
      "import {\n  a,\n  type B as C,\n} from './a.ts';\nexport * from './b.ts';\nexport const x = from('./no.ts');\nimport './c.ts';";
    expect(readSource(text).imports.map(({ specifier, names, line }) => [specifier, names, line])).toEqual([
      ['./a.ts', ['a', 'B'], 1],
      ['./b.ts', ['*'], 5],
      ['./c.ts', [], 7],
    ]);
  });
});
