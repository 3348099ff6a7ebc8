import { Link } from '@tanstack/react-router';
import type { WorkspacesAnswer } from '../api/call.ts';
import type { Connection } from '../api/events.ts';
import { isInBundle } from '../bundles/not-in-bundle.tsx';
import { folderAndFile, shownName } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import type { Theme } from './theme.ts';

interface View {
  readonly to:
    | '/w/$workspace/now'
    | '/w/$workspace/timeline'
    | '/w/$workspace/changes'
    | '/w/$workspace/replay'
    | '/w/$workspace/plans'
    | '/w/$workspace/restore'
    | '/w/$workspace/forks'
    | '/w/$workspace/overview';
  readonly label: string;
  readonly icon: IconName;
  /** The second key of `g n`, `g t` and so on. Default: the first letter of the label. */
  readonly key?: string;
}

export const VIEWS: readonly View[] = [
  { to: '/w/$workspace/now', label: 'Now', icon: 'now' },
  { to: '/w/$workspace/timeline', label: 'Timeline', icon: 'timeline' },
  { to: '/w/$workspace/changes', label: 'Changes', icon: 'changes' },
  { to: '/w/$workspace/replay', label: 'Replay', icon: 'play', key: 'y' },
  { to: '/w/$workspace/plans', label: 'Plans', icon: 'plans' },
  { to: '/w/$workspace/restore', label: 'Restore', icon: 'back' },
  { to: '/w/$workspace/forks', label: 'Forks', icon: 'forks' },
  { to: '/w/$workspace/overview', label: 'Overview', icon: 'overview' },
];

export interface SideBarProps {
  readonly workspaces: WorkspacesAnswer['workspaces'];
  readonly connection: Connection;
  readonly theme: Theme;
  readonly onWorkspace: (id: string) => void;
  readonly onTheme: () => void;
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

export function SideBar(props: SideBarProps) {
  const { id, server, isBundle } = useWorkspace();
  return (
    <header className="side-bar">
      <div className="brand">
        <Icon name="mark" />
        <span className="label">Savepoint</span>
      </div>
      <WorkspaceSwitch workspaces={props.workspaces} onWorkspace={props.onWorkspace} />
      <nav aria-label="Views">
        {VIEWS.filter(({ to }) => !isBundle || isInBundle(to.split('/')[3] ?? '')).map(({ to, label, icon }) => (
          <Link key={to} to={to} params={{ workspace: id }}>
            <Icon name={icon} />
            <span className="label">{label}</span>
          </Link>
        ))}
      </nav>
      <div className="foot">
        <ConnectionState state={props.connection} />
        {server.isReadOnly && <p className="connection label">Read-only: nothing can be changed here</p>}
        <button type="button" className="button quiet small" onClick={props.onPalette}>
          <Icon name="search" />
          <span className="label">Commands</span>
          <kbd>Ctrl K</kbd>
        </button>
        <button type="button" className="button quiet small" onClick={props.onHelp}>
          <Icon name="keys" />
          <span className="label">Keys</span>
          <kbd>?</kbd>
        </button>
        <button type="button" className="button quiet small" onClick={props.onTheme}>
          <Icon name="theme" />
          <span className="label">Theme: {props.theme}</span>
        </button>
      </div>
    </header>
  );
}

function WorkspaceSwitch({ workspaces, onWorkspace }: Pick<SideBarProps, 'workspaces' | 'onWorkspace'>) {
  const { id } = useWorkspace();
  return (
    <select
      className="field workspace-switch"
      aria-label="Workspace"
      value={id}
      onChange={(event) => onWorkspace(event.target.value)}
    >
      {workspaces.map((one) => (
        <option key={one.id} value={one.id} disabled={!one.present}>
          {folderAndFile(shownName(one.path)).file}
          {one.isBundle && ' (bundle)'}
          {one.present ? '' : ' (its folder is gone)'}
        </option>
      ))}
    </select>
  );
}

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Not connected. Trying again …',
};

function ConnectionState({ state }: { readonly state: Connection }) {
  return (
    <p className={`connection ${state}`} role="status">
      <span className="dot" aria-hidden="true" />
      <span className="label">{CONNECTIONS[state]}</span>
    </p>
  );
}
