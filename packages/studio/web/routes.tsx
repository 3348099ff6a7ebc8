/** The addresses of the views. Every state that is worth coming back to is in the address. */
import { useQuery } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  redirect,
  useParams,
} from '@tanstack/react-router';
import { useMemo } from 'react';
import { loadWorkspaces, type WorkspacesAnswer } from './api/call.ts';
import { changesSearch } from './changes/search.ts';
import { shownName } from './data/names.ts';
import { type ShownWorkspace, WorkspaceContext } from './data/workspace.ts';
import { forkSearch, forksSearch } from './forks/search.ts';
import { Empty, Failure, Loading } from './parts/message.tsx';
import { planSearch } from './plans/search.ts';
import { replaySearch } from './replay/search.ts';
import { restoreSearch } from './restore/search.ts';
import { Shell } from './shell/shell.tsx';
import { timelineSearch } from './timeline/search.ts';
import { Timeline } from './timeline/timeline.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const workspace = createRoute({ getParentRoute: () => root, path: '/w/$workspace', component: Workspace });

const first = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$workspace/timeline', params });
  },
});

const timeline = createRoute({
  getParentRoute: () => workspace,
  path: 'timeline',
  validateSearch: timelineSearch,
  component: Timeline,
});

const changes = createRoute({
  getParentRoute: () => workspace,
  path: 'changes',
  validateSearch: changesSearch,
  component: lazyRouteComponent(() => import('./changes/changes.tsx'), 'Changes'),
});

const now = createRoute({
  getParentRoute: () => workspace,
  path: 'now',
  component: lazyRouteComponent(() => import('./now/now.tsx'), 'Now'),
});

const plans = createRoute({
  getParentRoute: () => workspace,
  path: 'plans',
  component: lazyRouteComponent(() => import('./plans/plans.tsx'), 'Plans'),
});

const plan = createRoute({
  getParentRoute: () => workspace,
  path: 'plans/$plan',
  validateSearch: planSearch,
  component: lazyRouteComponent(() => import('./plans/plan.tsx'), 'Plan'),
});

const restore = createRoute({
  getParentRoute: () => workspace,
  path: 'restore',
  validateSearch: restoreSearch,
  component: lazyRouteComponent(() => import('./restore/restore.tsx'), 'Restore'),
});

const conflicts = createRoute({
  getParentRoute: () => workspace,
  path: 'conflicts',
  component: lazyRouteComponent(() => import('./conflicts/conflicts.tsx'), 'Conflicts'),
});

const forks = createRoute({
  getParentRoute: () => workspace,
  path: 'forks',
  validateSearch: forksSearch,
  component: lazyRouteComponent(() => import('./forks/forks.tsx'), 'Forks'),
});

const fork = createRoute({
  getParentRoute: () => workspace,
  path: 'forks/$fork',
  validateSearch: forkSearch,
  component: lazyRouteComponent(() => import('./forks/fork.tsx'), 'Fork'),
});

const replay = createRoute({
  getParentRoute: () => workspace,
  path: 'replay',
  validateSearch: replaySearch,
  component: lazyRouteComponent(() => import('./replay/replay.tsx'), 'Replay'),
});

const overview = createRoute({
  getParentRoute: () => workspace,
  path: 'overview',
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    workspace.addChildren([
      first,
      timeline,
      changes,
      now,
      replay,
      plans,
      plan,
      forks,
      fork,
      restore,
      conflicts,
      overview,
    ]),
  ]),
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  defaultPendingComponent: () => <Loading what="the view" />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function Start() {
  const { data, error, refetch } = useWorkspaces();
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the workspaces" />;
  const id = data.server.first ?? data.workspaces.find(({ present }) => present)?.id;
  if (id !== undefined) return <Navigate to="/w/$workspace/timeline" params={{ workspace: id }} replace />;
  return (
    <main>
      <Empty title="There are no checkpoints yet">
        <p>
          Savepoint takes the first one with the first call of an agent that has its hooks. Run{' '}
          <code>savepoint install</code> to add the hooks, or <code>savepoint checkpoint</code> in a project to take one
          now.
        </p>
        <button type="button" className="button" onClick={() => void refetch()}>
          Look again
        </button>
      </Empty>
    </main>
  );
}

function Workspace() {
  const { workspace: id } = useParams({ from: '/w/$workspace' });
  const { data, error, refetch } = useWorkspaces();
  const shown = useMemo<ShownWorkspace | null>(() => {
    const row = data?.workspaces.find((one) => one.id === id);
    if (data === undefined || row === undefined) return null;
    const server = row.isBundle ? { ...data.server, isReadOnly: true } : data.server;
    return { id, path: shownName(row.path), isBundle: row.isBundle, server };
  }, [data, id]);
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the workspaces" />;
  if (shown === null) {
    return (
      <main>
        <Empty title="There is no such workspace">
          <p>It may have been deleted since this address was made.</p>
          <a className="button" href="/">
            Show the workspace of this server
          </a>
        </Empty>
      </main>
    );
  }
  return (
    <WorkspaceContext value={shown}>
      <Shell workspaces={data.workspaces} />
    </WorkspaceContext>
  );
}

function NotFound() {
  return (
    <main>
      <Empty title="There is nothing at this address">
        <a className="button" href="/">
          Show the timeline
        </a>
      </Empty>
    </main>
  );
}

function useWorkspaces() {
  return useQuery<WorkspacesAnswer>({ queryKey: ['workspaces'], queryFn: ({ signal }) => loadWorkspaces(signal) });
}
