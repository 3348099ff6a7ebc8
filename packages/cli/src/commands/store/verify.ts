import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, pathText } from '../../show/format.ts';

const DAMAGED =
  'Run `savepoint repair` now: it moves damaged parts aside, and stores again what still exists elsewhere.';
/** What a repair leaves if it did not find the objects. */
const LOST = [
  'The store has no damaged parts, but lacks these objects. `savepoint repair` stores them again if they still exist in',
  'the workspace, its repositories or backups; with `--from BUNDLE`, it also looks there. If it has found nothing, they are',
  'lost. All other paths of these checkpoints can be restored: `savepoint restore CP -- PATHS`.',
];

export const verify = command({
  verb: VERBS.verify,
  operands: [],
  takesPaths: false,
  options: [{ flags: '--deep', description: 'read and hash every byte of the store' }],
  examples: ['savepoint verify', 'savepoint verify --deep'],
  input: ({ options }) => (options['deep'] === true ? { deep: true } : {}),

  render({ deep, checkpoints, sound, damage }, { style }) {
    if (damage.length === 0) {
      const how = deep ? 'every byte was read' : 'contents were not read; `savepoint verify --deep` reads them';
      return lines(`${countText(checkpoints, 'checkpoint')}, ${style.good('no damage found')} (${how})`);
    }
    return lines(
      style.bad(
        `${countText(damage.length, 'problem')} found; ${sound} of ${countText(checkpoints, 'checkpoint')} can be fully restored`,
      ),
      damage.flatMap(({ object, file, problem, checkpoints }) => [
        `  ${object ?? (file === null ? 'the store' : pathText(file))}: ${showText(problem)}`,
        ...(file === null || object === null ? [] : [`    in ${pathText(file)}`]),
        ...(checkpoints.length === 0 ? [] : [`    affects ${checkpoints.join(', ')}`]),
      ]),
      damage.every(({ object, file }) => object !== null && file === null) ? LOST : DAMAGED,
    );
  },
});
