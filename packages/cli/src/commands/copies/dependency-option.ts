/** The option of commands that make copies: what a copy gets of dependency folders. */

import type { CliOptionSpec, ParsedArguments } from '../../command.ts';

const CHOICES = ['auto', 'copy', 'link', 'none'] as const;

export const DEPENDENCY_OPTION: CliOptionSpec = {
  flags: '--dependencies <how>',
  description: 'what a copy without an overlay gets of node_modules and the like (default: copy_dependencies)',
  choices: CHOICES,
};

export function dependenciesIn({ dependencies }: ParsedArguments['options']): {
  readonly dependencies?: (typeof CHOICES)[number];
} {
  const found = CHOICES.find((one) => one === dependencies);
  return found === undefined ? {} : { dependencies: found };
}
