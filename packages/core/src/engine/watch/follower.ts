/** Follows a workspace from one look to the next, and derives events from what differs. */

import { SavepointError } from '../../model/errors.ts';
import type { DiskPath } from '../../model/names.ts';
import { readUnendedCalls } from '../../store/state/open-calls.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { CheckpointRef } from '../../timeline/record/timeline.ts';
import { eventsOf, type WatchEvent } from '../events.ts';
import { factsOf } from './facts.ts';
import { type EventKind, kindOfEvent, statesFor } from './kinds.ts';
import { pointText, type ReadPoint, readPoint, type WatchPoint } from './point.ts';
import { stateEventsOf } from './state-events.ts';
import { stampOf, WATCHED_STATES, type WatchedState } from './states.ts';
import { turnEventsOf } from './turn-events.ts';
import {
  type Difference,
  differencesOf,
  keepView,
  keptView,
  newestIn,
  rangesOf,
  type StateView,
  sameFacts,
  type View,
} from './view.ts';

/** An event, with the point to continue from. The events of one checkpoint have the same point, except for the last. */
export type WatchedEvent = WatchEvent & { readonly point: WatchPoint };

/** The events of one difference, which are reported together. */
type Group = readonly WatchedEvent[];

/** What one look found. */
export interface Look {
  readonly groups: readonly Group[];
  /** After everything that was found. */
  readonly point: WatchPoint;
}

const NOTHING: View = { checkpoints: [], states: {} };

export class Follower {
  readonly #kinds: ReadonlySet<EventKind>;
  readonly #states: readonly WatchedState[];
  readonly #start: ReadPoint | null;
  #view: View | null = null;
  /** The name of the view, once it is kept. */
  #name: string | null = null;
  /** The list from which the numbers of the view were made. */
  #list: readonly CheckpointRef[] = [];

  /** @param start null: what is there at the first look is not reported, except for open calls */
  constructor(kinds: readonly EventKind[], start: ReadPoint | null) {
    this.#kinds = new Set(kinds);
    this.#states = statesFor(this.#kinds);
    this.#start = start;
  }

  look(workspace: Workspace, home: DiskPath): Look {
    const before = this.#view;
    if (before !== null) return this.#step(workspace, before, this.#next(workspace, home, before), 0);
    return this.#start === null ? this.#begin(workspace, home) : this.#continue(workspace, home, this.#start);
  }

  /** The store was created after the watch began, so everything in it is new. */
  startsWithNothing(): void {
    if (this.#start === null) this.#view = NOTHING;
  }

  #begin(workspace: Workspace, home: DiskPath): Look {
    const view = this.#next(workspace, home, NOTHING);
    const point = this.#enter(workspace, view);
    const calls = this.#kinds.has('calls') ? readUnendedCalls(workspace.ports, workspace.store.layout) : [];
    return { groups: calls.length === 0 ? [] : [[{ event: 'calls:changed', calls, point }]], point };
  }

  #continue(workspace: Workspace, home: DiskPath, { checkpoint, views }: ReadPoint): Look {
    const { ports, store } = workspace;
    const kept = (name: string): View | null => keptView(ports.fs, store.layout, name);
    const upTo: View = { checkpoints: checkpoint === 0 ? [] : [[1, checkpoint]], states: {} };
    if (views === null) return this.#step(workspace, upTo, this.#next(workspace, home, upTo), 0);
    const before = kept(views.before);
    const after = views.after === null ? null : kept(views.after);
    if (before === null || (views.after !== null && after === null)) {
      const point = this.#enter(workspace, upTo);
      const look = this.#step(workspace, upTo, this.#next(workspace, home, upTo), 0);
      return { ...look, groups: [[{ event: 'events:missed', point }], ...look.groups] };
    }
    if (after === null) return this.#step(workspace, before, this.#next(workspace, home, before), 0);
    const rest = this.#step(workspace, before, after, views.reported);
    const later = this.#step(workspace, after, this.#next(workspace, home, after), 0);
    return { groups: [...rest.groups, ...later.groups], point: later.point };
  }

  /** @param reported how many of the differences were reported before */
  #step(workspace: Workspace, before: View, after: View, reported: number): Look {
    if (before === after) return { groups: [], point: this.#enter(workspace, after) };
    const { fs } = workspace.ports;
    const { layout } = workspace.store;
    const from = this.#name ?? keepView(fs, layout, before);
    const point = this.#enter(workspace, after);
    const to = this.#name ?? '';
    const differences = differencesOf(before, after);
    let newest = newestIn(before);
    const groups = differences.flatMap((difference, index): readonly Group[] => {
      if (index < reported) return [];
      const pointAt = (done: number): WatchPoint => {
        if (done === differences.length) return point;
        return pointText(newest, { before: from, after: done === 0 ? null : to, reported: done });
      };
      const old = pointAt(index);
      if (difference.of === 'checkpoint') newest = Math.max(newest, difference.number);
      const events = this.#eventsOf(workspace, difference, { before, after });
      const wanted = events.filter((one) => {
        const kind = kindOfEvent(one);
        return kind === null || this.#kinds.has(kind);
      });
      if (wanted.length === 0) return [];
      const last = wanted.length - 1;
      return [wanted.map((event, at) => ({ ...event, point: at === last ? pointAt(index + 1) : old }))];
    });
    return { groups, point };
  }

  /** Makes it the view that later looks are compared with. It is kept before any event has its name. */
  #enter({ ports, store }: Workspace, view: View): WatchPoint {
    if (this.#view !== view || this.#name === null) this.#name = keepView(ports.fs, store.layout, view);
    this.#view = view;
    return pointText(newestIn(view), { before: this.#name, after: null, reported: 0 });
  }

  /** @returns the same view if nothing differs */
  #next(workspace: Workspace, home: DiskPath, before: View): View {
    const list = workspace.timeline.list();
    const isSameList = list === this.#list && this.#view === before;
    const numbers = isSameList ? before.checkpoints : rangesOf(list.map(({ number }) => number));
    this.#list = list;
    const states = Object.fromEntries(
      WATCHED_STATES.flatMap((state) => {
        const known = before.states[state];
        // What is not looked at stays as it was, for a caller that continues with other kinds.
        if (!this.#states.includes(state)) return known === undefined ? [] : [[state, known]];
        return [[state, stateView(state, workspace, home, known, isSameList)]];
      }),
    );
    const isSame =
      JSON.stringify(numbers) === JSON.stringify(before.checkpoints) &&
      WATCHED_STATES.every((state) => states[state] === before.states[state]);
    return isSame ? before : { checkpoints: numbers, states };
  }

  #eventsOf(
    workspace: Workspace,
    difference: Difference,
    views: { readonly before: View; readonly after: View },
  ): readonly WatchEvent[] {
    const { ports, store, timeline } = workspace;
    if (difference.of === 'fact') return stateEventsOf(workspace, difference, views);
    if (difference.of === 'state') {
      const { state } = difference;
      if (state !== 'calls') return [{ event: 'state:changed', state }];
      return [{ event: 'calls:changed', calls: readUnendedCalls(ports, store.layout) }];
    }
    const ref = timeline.list().find(({ number }) => number === difference.number);
    // Dropped again meanwhile.
    if (ref === undefined) return [];
    const { checkpoints, damaged } = timeline.readAll([ref]);
    const [checkpoint] = checkpoints;
    if (checkpoint === undefined) return damaged.map((one) => ({ event: 'checkpoint:damaged', damaged: one }));
    return [...turnEventsOf(checkpoint, views), ...eventsOf(checkpoint)];
  }
}

/** @throws SavepointError USAGE */
export function startOf(after: number | WatchPoint | undefined): ReadPoint | null {
  if (after === undefined) return null;
  const point = readPoint(typeof after === 'number' ? `cp_${after}` : after);
  if (point !== null) return point;
  const message = `A watch can only continue from a checkpoint or from the point of an event, not from ${JSON.stringify(after)}.`;
  throw new SavepointError('USAGE', message, { argument: 'after' });
}

/** These follow from the timeline as well. */
const WITH_TIMELINE: ReadonlySet<WatchedState> = new Set(['plans', 'forks']);

function stateView(
  state: WatchedState,
  workspace: Workspace,
  home: DiskPath,
  known: StateView | undefined,
  isSameList: boolean,
): StateView {
  const isSame = known?.stamp === stampOf(state, workspace, home, known?.facts ?? {});
  if (known !== undefined && isSame && (isSameList || !WITH_TIMELINE.has(state))) return known;
  // The stamp first: what changes while the facts are read is found by the next look.
  const stamp = stampOf(state, workspace, home, {});
  const facts = factsOf(state, workspace, home);
  return known?.stamp === stamp && sameFacts(known.facts, facts) ? known : { stamp, facts };
}
