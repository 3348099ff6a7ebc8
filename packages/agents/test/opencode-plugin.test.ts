/** The plugin that opencode loads, with the events that opencode sends. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { pluginText } from '../src/opencode-plugin.ts';

interface Plugin {
  event(sent: { readonly event: object }): Promise<void>;
}

test('what a call waits for is reported in order, and a refusal is not', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'savepoint-plugin-'));
  const [log, hook, file] = ['log', 'hook.mjs', 'plugin.mjs'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    hook,
    `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(log)}, fs.readFileSync(0) + '\\n');`,
  );
  writeFileSync(file, pluginText([process.execPath, hook], []));
  const { Savepoint } = (await import(pathToFileURL(file).href)) as {
    Savepoint: (given: { readonly directory: string }) => Promise<Plugin>;
  };
  const { event } = await Savepoint({ directory: folder });
  const asked = (id: string, callID: string) => {
    const properties = { id, sessionID: 's', permission: 'bash', patterns: [], tool: { messageID: 'm', callID } };
    return event({ event: { type: 'permission.asked', properties } });
  };
  const replied = (requestID: string, reply: string) =>
    event({ event: { type: 'permission.replied', properties: { sessionID: 's', requestID, reply } } });
  await Promise.all([asked('p1', 'c1'), replied('p1', 'once'), asked('p2', 'c2'), replied('p2', 'reject')]);
  await event({
    event: { type: 'permission.replied', properties: { sessionID: 's', requestID: 'old', reply: 'once' } },
  });
  const told = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(told.map(({ event: name, sessionID, callID }) => [name, sessionID, callID])).toEqual([
    ['permission.asked', 's', 'c1'],
    ['permission.granted', 's', 'c1'],
    ['permission.asked', 's', 'c2'],
  ]);
  expect(told[1]?.['at']).toBeGreaterThan(Date.now() - 60_000);
});
