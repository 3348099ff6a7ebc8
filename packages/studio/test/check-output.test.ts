import { expect, it } from 'vitest';
import { bearer, enter, send, startStudio, withCheckpoint } from './started.ts';

it('sends what checks print line by line, as text, and the answer last', async () => {
  const p = withCheckpoint();
  // The second byte of a character comes later than the first.
  const check = "printf 'caf\\303'; sleep 0.2; printf '\\251\\n{\"status\":0}\\n\\033[31m'; exit 1";
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', '-c', check], kind: 'lint' } } }));
  p.ok('trust', '--yes');
  const studio = await startStudio(p);
  const { session, workspace } = await enter(studio);
  const sent = await send(studio, `/api/workspaces/${workspace}/verbs/check`, {
    method: 'POST',
    headers: {
      ...bearer(session),
      Origin: studio.origin,
      'Content-Type': 'application/json',
      Accept: 'application/x-ndjson',
    },
    body: '{}',
  });
  expect([sent.status, sent.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  const lines = sent.bytes
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const parts = lines.slice(0, -1);
  expect(new Set(parts.map(({ check: name }) => name))).toEqual(new Set(['own']));
  expect(parts.map(({ text }) => text).join('')).toContain('café\n{"status":0}\n\u001b[31m');
  expect(lines.at(-1)).toMatchObject({ status: 1, output: { checks: [{ name: 'own' }] } });
});
