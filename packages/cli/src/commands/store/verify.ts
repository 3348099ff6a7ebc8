import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { counted, shown } from '../../show/words.ts';

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
      return lines(`${counted(checkpoints, 'checkpoint')}, ${style.good('no damage found')} (${how})`);
    }
    return lines(
      style.bad(
        `${counted(damage.length, 'problem')} found; ${sound} of ${counted(checkpoints, 'checkpoint')} can be fully restored`,
      ),
      damage.flatMap(({ object, file, problem, checkpoints: hurt }) => [
        `  ${object ?? (file === null ? 'the store' : shown(file))}: ${showText(problem)}`,
        ...(file === null || object === null ? [] : [`    in ${shown(file)}`]),
        ...(hurt.length === 0 ? [] : [`    affects ${hurt.join(', ')}`]),
      ]),
      'Run `savepoint checkpoint` now: it repairs damaged objects whose content is still in the workspace.',
    );
  },
});
