import { test } from 'vitest';
import { allTheWay } from '../../packages/agents/test/fuzz.ts';

const CASES = 10_000;
const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1_000_000);

test(`${CASES} events of agents, half of them mangled, go through the whole hook (SAVEPOINT_SEED=${seed})`, async () => {
  await allTheWay(CASES, seed);
}, 1_800_000);
