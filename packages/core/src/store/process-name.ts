/** Identifies a process in the name of a file that it owns, so that others can tell whether it is still alive. */

import { createHash } from 'node:crypto';
import type { Ports, ProcessIdentity } from '../io/ports.ts';
import { bytesFromText } from '../model/names.ts';

export interface ProcessName {
  readonly pid: number;
  /** `-` if unknown. */
  readonly startedAt: string;
  /** Digests. */
  readonly boot: string;
  readonly namespace: string;
  readonly host: string;
}

/** `elsewhere`: on another machine or in another container, so it cannot be checked. */
export type OwnerState = 'alive' | 'stopped' | 'elsewhere' | 'dead';

export function processName(self: ProcessIdentity): ProcessName {
  return {
    pid: self.pid,
    startedAt: self.startedAt ?? '-',
    boot: digest(self.bootId),
    namespace: digest(self.pidNamespace),
    host: digest(self.host),
  };
}

/** Returns the part of a file name. It consists of letters, digits, `_` and `-`. */
export function processNameText({ pid, startedAt, boot, namespace, host }: ProcessName): string {
  return `${pid}_${startedAt}_${boot}_${namespace}_${host}`;
}

/** @returns null for a text that `processNameText` does not return */
export function parseProcessName(text: string): ProcessName | null {
  const match = /^(\d{1,10})_(-|\d{1,20})_(-|[0-9a-f]{12})_(-|[0-9a-f]{12})_([0-9a-f]{12})$/.exec(text);
  if (match === null) return null;
  const [, pid = '', startedAt = '', boot = '', namespace = '', host = ''] = match;
  return { pid: Number(pid), startedAt, boot, namespace, host };
}

export function ownerState({ processes }: Pick<Ports, 'processes'>, owner: ProcessName): OwnerState {
  const self = processName(processes.self());
  if (owner.host !== self.host) return 'elsewhere';
  if (owner.boot !== self.boot) return 'dead';
  if (owner.namespace !== self.namespace) return 'elsewhere';
  const startedAt = owner.startedAt === '-' ? null : owner.startedAt;
  const state = processes.state({ ...processes.self(), pid: owner.pid, startedAt });
  return state === 'unknown' ? 'elsewhere' : state;
}

function digest(text: string | null): string {
  return text === null ? '-' : createHash('sha1').update(bytesFromText(text)).digest('hex').slice(0, 12);
}
