/** What Studio shows about hooks and the daemon: the same as `savepoint status` and `savepoint daemon status`. */
import type { DiskPath } from '@savepoint/core';
import { agentReports, reportToJson } from '../../agents.ts';
import type { Environment } from '../../command.ts';
import { askDaemon, type DaemonAnswer } from '../../daemon/ask.ts';
import { buildOnDisk } from '../../daemon/build.ts';

/** @param root the folder of the workspace @param home Savepoint's home */
export async function healthOf(root: DiskPath, home: string, env: Environment) {
  const reports = await agentReports(root, env);
  const agents = reports.map((report) => ({ ...reportToJson(report), planLimit: report.agent.planLimit ?? null }));
  const own = buildOnDisk();
  const said = own === null ? 'none' : await askDaemon(home, own, 'status');
  return {
    agents: agents.filter(({ installed, missed }) => installed.length > 0 || missed),
    daemon: daemonHealth(said),
  };
}

function daemonHealth(said: DaemonAnswer) {
  if (typeof said === 'string') {
    return {
      state: said === 'stopping' ? ('leaving' as const) : ('none' as const),
      since: null,
      events: null,
      medianMs: null,
    };
  }
  const { startedAt, events, medianMs } = said;
  return {
    state: 'running' as const,
    since: typeof startedAt === 'string' ? startedAt : null,
    events: typeof events === 'number' ? events : null,
    medianMs: typeof medianMs === 'number' ? medianMs : null,
  };
}
