/** What happens now: each agent with its running call, what is in no checkpoint yet, and files as they change. */

import { Link } from '@tanstack/react-router';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Empty, Failure, Loading } from '../parts/message.tsx';
import { Agents } from './agents.tsx';
import { Feed } from './feed.tsx';
import { Unrecorded } from './unrecorded.tsx';

const NEWEST = 200;
/** Enough to have the newest words of each session that is shown. */
const TURNS = 60;

export function Now() {
  const { id: workspace } = useWorkspace();
  const sessions = useVerb('sessions', {});
  const turns = useVerb('turns', { limit: TURNS });
  const history = useVerb('history', { limit: NEWEST, fold: true });
  if (history.error !== null && history.data === undefined)
    return <Failure error={history.error} retry={() => void history.refetch()} />;
  if (history.data === undefined || sessions.data === undefined) return <Loading what="what happens now" />;
  return (
    <>
      <div className="view-head">
        <h1>Now</h1>
        <span className="space" />
        <Link className="button small" to="/w/$workspace/restore" params={{ workspace }}>
          Restore …
        </Link>
      </div>
      <div className="now">
        <div className="now-left">
          <Agents sessions={sessions.data.sessions} turns={turns.data?.turns ?? []} />
          <Unrecorded />
        </div>
        <section className="now-feed" aria-label="Files as they change">
          <h2>Files as they change</h2>
          {history.data.changes.length === 0 ? (
            <Empty title="No file has changed yet">
              <p>When an agent writes a file, it appears here within a second.</p>
            </Empty>
          ) : (
            <Feed changes={history.data.changes} />
          )}
        </section>
      </div>
    </>
  );
}
