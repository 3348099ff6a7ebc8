import type { Ports } from './ports.ts';

/**
 * Returns a moment in milliseconds since boot, if the clock was not set since. Negative if it was before. Null
 * if the system does not tell its uptime.
 * @param time milliseconds since 1970
 */
export function uptimeAt({ clock, processes }: Pick<Ports, 'clock' | 'processes'>, time: number): number | null {
  const uptime = processes.uptime();
  return uptime === null ? null : uptime - (clock.now() - time);
}
