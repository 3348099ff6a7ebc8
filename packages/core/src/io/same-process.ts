import type { ProcessIdentity } from './ports.ts';

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;
}
