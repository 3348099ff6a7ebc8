import { appendFileSync, writeFileSync } from 'node:fs';
import { seededRandom } from '@savepoint/testkit';
import { test } from 'vitest';
import { ActivityGame } from './activity-game.ts';

const FROM = Number(process.env['MANY_FROM'] ?? 1);
const TO = Number(process.env['MANY_TO'] ?? 300);
const OUT = process.env['MANY_OUT'] ?? '/tmp/many.log';
test('many', { timeout: 3_600_000 }, async () => {
  writeFileSync(OUT, '');
  for (let seed = FROM; seed < TO; seed++) {
    const game = new ActivityGame(seededRandom(seed), { drops: seed % 4 === 0 });
    try {
      await game.play(60);
    } catch (error) {
      appendFileSync(OUT, `SEED ${seed} ${String(error).slice(0, 300)}\n  ${game.log.join('\n  ')}\n`);
    }
  }
  appendFileSync(OUT, 'END\n');
});
