/** The frame around all views: the side bar, the connection, the keys, and the dialogs that open from everywhere. */
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { WorkspacesAnswer } from '../api/call.ts';
import { type Connection, followEvents } from '../api/events.ts';
import { BundleDrop } from '../bundles/bundle-drop.tsx';
import { BundleNotice } from '../bundles/bundle-notice.tsx';
import { isInBundle, NotInBundle } from '../bundles/not-in-bundle.tsx';
import { textOf } from '../data/names.ts';
import { isNewWork } from '../data/newest-page.ts';
import { noteEvent } from '../data/open-calls.ts';
import { refresher } from '../data/refresher.ts';
import { refresh } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { TakeBackProvider } from '../take-back/take-back.tsx';
import { UndoCommands } from '../take-back/undo-commands.tsx';
import { Help } from './help.tsx';
import { type Command, listenToKeys, useCommands } from './keys.ts';
import { Palette } from './palette.tsx';
import { SideBar, VIEWS } from './side-bar.tsx';
import { applyTheme, nextTheme, storedTheme } from './theme.ts';

export function Shell({ workspaces }: { readonly workspaces: WorkspacesAnswer['workspaces'] }) {
  const { id, server, isBundle } = useWorkspace();
  const { pathname, searchStr } = useLocation();
  const view = pathname.split('/')[3] ?? '';
  const isThere = !isBundle || (isInBundle(view) && (view !== 'changes' || searchStr !== ''));
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'none' | 'palette' | 'help'>('none');
  const [theme, setTheme] = useState(storedTheme);
  const connection = useConnection(id);
  const changeTheme = useCallback(() => setTheme(nextTheme), []);
  const close = useCallback(() => setDialog('none'), []);
  useEffect(() => applyTheme(theme), [theme]);
  useEffect(listenToKeys, []);
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: 'Ctrl k', label: 'Open the command palette', run: () => setDialog('palette') },
      { keys: '?', label: 'List the keys', run: () => setDialog('help') },
      ...VIEWS.map(({ to, label, key = label.charAt(0).toLowerCase() }) => ({
        keys: `g ${key}`,
        label: `Go to ${label}`,
        run: () => void navigate({ to, params: { workspace: id } }),
      })),
      { label: 'Change the theme', run: changeTheme },
      ...workspaces
        .filter((one) => one.id !== id && one.present)
        .map((one) => ({
          label: `Switch to the workspace ${textOf(one.path)}`,
          run: () => void navigate({ to: '/w/$workspace/timeline', params: { workspace: one.id } }),
        })),
    ],
    [navigate, id, changeTheme, workspaces],
  );
  useCommands(commands);
  return (
    <div className="shell">
      <SideBar
        workspaces={workspaces}
        connection={connection}
        theme={theme}
        onWorkspace={(next) => void navigate({ to: '/w/$workspace/timeline', params: { workspace: next } })}
        onTheme={changeTheme}
        onPalette={() => setDialog('palette')}
        onHelp={() => setDialog('help')}
      />
      <main>
        {server.startedBy !== null && (
          <p className="notice">
            An agent ({server.startedBy}) started this server, so it refuses what only a person may do. Run `savepoint
            studio` in a terminal of your own for that.
          </p>
        )}
        {isBundle && <BundleNotice />}
        <TakeBackProvider>
          <UndoCommands />
          {isThere ? <Outlet /> : <NotInBundle view={view} />}
        </TakeBackProvider>
        <BundleDrop />
      </main>
      {dialog === 'palette' && <Palette onClose={close} />}
      {dialog === 'help' && <Help onClose={close} />}
    </div>
  );
}

/** Changes of an agent come in quick succession. */
const TOGETHER_MS = 80;

function useConnection(workspace: string): Connection {
  const client = useQueryClient();
  const [state, setState] = useState<Connection>('connecting');
  useEffect(() => {
    const refreshing = refresher((onlyNewWork) => refresh(client, workspace, onlyNewWork), TOGETHER_MS);
    const end = followEvents(workspace, {
      onConnection: setState,
      onEvent: (event) => {
        noteEvent(workspace, event);
        refreshing.note(isNewWork(event));
      },
    });
    return () => {
      refreshing.end();
      end();
    };
  }, [workspace, client]);
  return state;
}
