import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../data/workspace.ts';
import { Empty } from '../parts/message.tsx';

/** Views about a folder and what happens in it, with why a bundle has nothing for them. */
const WITHOUT: readonly (readonly [path: string, title: string, why: string])[] = [
  ['now', 'A bundle has no present', 'It has what was recorded up to the moment when it was written.'],
  [
    'plans',
    'A bundle has no plans',
    'Plans stay on the machine where they were made. What was applied is on the timeline.',
  ],
  [
    'forks',
    'A bundle has no forks',
    'Forks are folders of the machine where they were made. What was merged is on the timeline.',
  ],
  [
    'restore',
    'A bundle has no folder',
    '`savepoint bundle restore` makes a folder of it. Then any of its states can be restored.',
  ],
];

const NO_FILES_NOW = [
  'changes',
  'Choose a turn on the timeline',
  'A bundle has no files of now. It has what each turn changed.',
] as const;

/** What is shown in place of a view that a bundle does not have. */
export function NotInBundle({ view }: { readonly view: string }) {
  const { id: workspace } = useWorkspace();
  const [, title = '', why = ''] = [...WITHOUT, NO_FILES_NOW].find(([path]) => path === view) ?? [];
  return (
    <Empty title={title}>
      <p>{why}</p>
      <Link className="button" to="/w/$workspace/timeline" params={{ workspace }}>
        Show the timeline
      </Link>
    </Empty>
  );
}

export function isInBundle(view: string): boolean {
  return !WITHOUT.some(([path]) => path === view);
}
