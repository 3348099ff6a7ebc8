/** The command that splits a plan along its imports. */

import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, groupDigits, pathText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

type Split = OutputOf<typeof VERBS.planSplit>;
type Paths = Split['unknown'];

export const planSplit = command({
  verb: VERBS.planSplit,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--phases', description: 'apply it in these phases', conflicts: 'groups' },
    { flags: '--groups', description: 'make a plan of each group, and cancel this one' },
  ],
  examples: [
    'savepoint plan split plan_1a2b3c4d',
    'savepoint plan split plan_1a2b3c4d --phases',
    'savepoint plan split plan_1a2b3c4d --groups',
  ],
  input: ({ operands: [id = ''], options }) => ({
    id,
    ...(options['phases'] === true ? { into: 'phases' as const } : {}),
    ...(options['groups'] === true ? { into: 'groups' as const } : {}),
  }),
  render: (split, view) =>
    lines(
      split.phases.flatMap(({ name, paths }) => [`${name}: ${countText(paths.length, 'path')}`, ...listed(paths)]),
      ...split.groups.map(({ paths, plan }, index) => [
        `group ${index + 1}: ${countText(paths.length, 'path')}${plan === null ? '' : `  ${view.style.id(plan)}`}`,
        ...listed(paths),
      ]),
      unknownText(split),
      doneText(split, view),
    ),
});

const MAX_LISTED = 20;
const MAX_UNKNOWN = 5;

function listed(paths: Paths): readonly string[] {
  const more = paths.length - MAX_LISTED;
  return [
    ...paths.slice(0, MAX_LISTED).map((path) => `  ${pathText(path)}`),
    ...(more > 0 ? [`  … and ${groupDigits(more)} more`] : []),
  ];
}

function unknownText({ unknown }: Split): readonly string[] {
  if (unknown.length === 0) return [];
  const shown = unknown.slice(0, MAX_UNKNOWN).map(pathText).join(', ');
  const more = unknown.length > MAX_UNKNOWN ? ', …' : '';
  return [`Not known what ${countText(unknown.length, 'path')} import: ${shown}${more}.`];
}

function doneText({ plan, phases, groups }: Split, { style }: OutputView): readonly string[] {
  if (groups.some((one) => one.plan !== null)) {
    return [`${style.id(plan.id)} is cancelled. Review each of its parts: \`savepoint plan review ID\`.`];
  }
  if (plan.phases.length > 0 && plan.phases.length === phases.length) {
    return [`${style.id(plan.id)} is applied in ${countText(plan.phases.length, 'phase')}.`];
  }
  return [`Nothing is changed. \`--phases\` sets the phases, \`--groups\` makes a plan of each group.`];
}
