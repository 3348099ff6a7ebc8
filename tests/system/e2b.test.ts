import { e2bSandbox } from '@savepoint/e2b';
import { realPorts } from '@savepoint/testkit';
import { expect, it } from 'vitest';
import { standIn } from '../../packages/e2b/test/stand-in.ts';
import { Inside } from '../remote/inside.ts';
import { workInside } from '../remote/work.ts';

it('an agent works in a sandbox of E2B, on a stand-in, and all the ways back work from outside', async () => {
  const inside = new Inside((env) => e2bSandbox({ sandbox: standIn(env), ports: realPorts() }));
  await workInside(inside);
  expect(inside.uploaded()).toHaveLength(1);
});
