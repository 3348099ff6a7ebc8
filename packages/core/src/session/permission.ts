/** What is reported of an open call between its start and its end. While it waits for a permission, its tool has not run. */

import type { SessionId } from '../model/ids.ts';
import { parseCallId } from '../model/parse-ids.ts';
import { type OpenCall, readOpenCalls, writeOpenCall } from '../store/state/open-calls.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type CallRequest, REPORT_MS, toolInfo } from './call-request.ts';

/** A call asks for a permission, or gets it. */
export type PermissionNote =
  | {
      readonly kind: 'asked';
      /** By its id, or by its tool and arguments, if exactly one open call has them. */
      readonly call:
        | { readonly id: string; readonly by?: string | null }
        | Pick<CallRequest, 'tool' | 'kind' | 'args' | 'actor'>;
      /** Whether the agent also reports that the permission was granted. Otherwise the call may run at any moment. */
      readonly isGrantReported: boolean;
    }
  | {
      readonly kind: 'granted';
      readonly call: { readonly id: string; readonly by?: string | null };
      /** Milliseconds since 1970. Default: now. */
      readonly at?: number;
    };

/** Records it with the open call. Takes no lock. A call that is not open is ignored. */
export function notePermission({ ports, store }: Workspace, session: SessionId, note: PermissionNote): void {
  const now = ports.clock.now();
  const { layout } = store;
  const known =
    'id' in note.call
      ? callWithId(readOpenCalls(ports, layout), session, note.call)
      : onlyCallLike(readOpenCalls(ports, layout), session, note.call);
  // An unknown tool may ask in the middle of its work.
  if (known === null || known.ended === true || known.background || known.tool.kind === 'other') return;
  const { waiting, ...running } = known;
  if (note.kind === 'asked') {
    writeOpenCall(ports.fs, layout, { ...running, waiting: note.isGrantReported ? 'surely' : 'perhaps' });
  } else if (waiting !== undefined) {
    const granted = Math.min(note.at ?? now, now);
    writeOpenCall(ports.fs, layout, { ...running, ranSince: Math.max(running.ranSince ?? 0, granted - REPORT_MS) });
  }
}

/** Without the sub-agent, any that has such a call. */
function callWithId(
  open: readonly OpenCall[],
  session: SessionId,
  { id, by }: { readonly id: string; readonly by?: string | null },
): OpenCall | null {
  const given = parseCallId(id);
  const isOfActor = ({ actor }: OpenCall): boolean => by === undefined || (actor.id ?? null) === by;
  return open.find((call) => call.session === session && call.id === given && isOfActor(call)) ?? null;
}

function onlyCallLike(
  open: readonly OpenCall[],
  session: SessionId,
  { actor, ...request }: Pick<CallRequest, 'tool' | 'kind' | 'args' | 'actor'>,
): OpenCall | null {
  const { name, args } = toolInfo(request);
  const [only, ...more] = open.filter(
    (call) =>
      call.session === session &&
      !call.background &&
      call.tool.name === name &&
      call.tool.args === args &&
      (actor === undefined || call.actor.id === actor.id),
  );
  return more.length === 0 ? (only ?? null) : null;
}
