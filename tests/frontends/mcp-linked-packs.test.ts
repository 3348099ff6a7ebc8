import { project } from '@savepoint/testkit/command';
import { it } from 'vitest';
import { until } from '../daemon/daemon-project.ts';
import { linkedClone } from '../daemon/linked-clone.ts';
import { connect } from './mcp-server.ts';

it('a server that is idle replaces the packs that a first checkpoint of another process linked', async () => {
  const p = project();
  const pack = linkedClone(p, 2);
  await connect(p, '2025-06-18');
  await until(() => !pack.isLinked());
  pack.expectIndependent();
});
