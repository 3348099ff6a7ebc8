import fs from 'node:fs';
import path from 'node:path';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { runEveryVerb } from './verbs.ts';

it('no verb uses the network (promise 11)', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.commitAll();
  p.git('remote', 'add', 'origin', 'https://example.com/a.git');
  const used = path.join(p.base, 'network-used');
  runEveryVerb(p, () => p.write('a.txt', 'changed\n'), { preload: { network: used } });
  expect(fs.existsSync(used) ? fs.readFileSync(used, 'utf8') : '').toBe('');
});

it('the watch on the network sees a connection', () => {
  const p = project();
  const used = path.join(p.base, 'network-used');
  const preload = { network: used };
  const env = p.environment({ preload });
  const hook = path.join(p.base, 'connect.mjs');
  fs.writeFileSync(hook, "import net from 'node:net'; try { net.connect(1, '127.0.0.1'); } catch {}\n");
  p.run(['help'], { env: { ...env, NODE_OPTIONS: `${env['NODE_OPTIONS']} --import=${hook}` } });
  expect(fs.readFileSync(used, 'utf8')).toContain('connect');
});
