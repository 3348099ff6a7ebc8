interface ProcessStat {
  /** One letter: R, S, D, T, t, Z, X, … */
  readonly state: string;
  /** The id of its parent. */
  readonly parent: number;
  /** The id of its process group. */
  readonly group: number;
  /** In clock ticks since boot. */
  readonly startedAt: string;
}

/**
 * Parses the needed fields of `/proc/<pid>/stat`. The second field is the program's name in brackets, and a program may
 * name itself `x) R 1 (`: only the last closing bracket is from the system.
 */
export function parseProcessStat(text: string): ProcessStat | null {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [state, parent = '', group = ''] = fields;
  const startedAt = fields[22 - 3];
  if (!text.includes(')') || state === undefined || !/^[A-Za-z]$/.test(state)) return null;
  if (startedAt === undefined || !/^\d{1,20}$/.test(startedAt)) return null;
  if (!/^\d{1,10}$/.test(parent) || !/^\d{1,10}$/.test(group)) return null;
  return { state, parent: Number(parent), group: Number(group), startedAt };
}
