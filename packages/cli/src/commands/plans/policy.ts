/** `savepoint plan policy`. */

import { SavepointError, showText } from '@savepoint/core';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { countText, localTime } from '../../show/format.ts';
import { CHECK_OPTION } from '../agents/guard-options.ts';

export const planPolicy = command({
  verb: VERBS.planPolicy,
  operands: [['[policy]', 'approved (default) or checked; without it, the policy is shown']],
  takesPaths: false,
  options: [
    CHECK_OPTION,
    {
      flags: '--max-files <number>',
      description: 'with checked: the most paths that such a plan may change (default: 20)',
    },
  ],
  examples: ['savepoint plan policy', 'savepoint plan policy checked --check tests --max-files 5'],
  input(given): InputOf<typeof VERBS.planPolicy> {
    const { operands, options } = given;
    const [apply] = operands;
    const maxFiles = wholeNumber(given, 'maxFiles', '--max-files');
    const checks = Array.isArray(options['check']) ? options['check'].map(String) : [];
    if (apply !== undefined && !isPolicy(apply)) {
      throw new SavepointError('USAGE', `There is no policy ${JSON.stringify(apply)}.`, { argument: 'policy' });
    }
    if (apply !== 'checked' && (checks.length > 0 || maxFiles !== undefined)) {
      throw new SavepointError('USAGE', '`--check` and `--max-files` need the policy `checked`.', {
        argument: 'policy',
      });
    }
    return {
      ...(apply === undefined ? {} : { apply }),
      ...(checks.length === 0 ? {} : { checks }),
      ...(maxFiles === undefined ? {} : { maxFiles }),
    };
  },
  render({ checks, maxFiles, since }) {
    if (maxFiles === null || since === null) return lines('Agents apply only plans that a person approved.');
    const names = checks.map((name) => showText(name)).join(', ');
    return lines(
      'Agents apply plans that a person approved. Over MCP, they also apply others, without a review, if',
      `  these checks found nothing new: ${names}`,
      `  at most ${countText(maxFiles, 'path')} would change`,
      `Set ${localTime(since)}. \`savepoint plan policy approved\` ends it.`,
    );
  },
});

function isPolicy(given: string): given is NonNullable<InputOf<typeof VERBS.planPolicy>['apply']> {
  return given === 'approved' || given === 'checked';
}
