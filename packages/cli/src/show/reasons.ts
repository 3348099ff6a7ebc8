/** Lists paths with a reason each, and says once what is the same for several. */
export interface WithReason {
  /** Safe to show. */
  readonly path: string;
  /** Safe to show. */
  readonly reason: string;
}

/** @param alone a line for a path whose reason no other one has */
export function reasonLines(listed: readonly WithReason[], alone: (one: WithReason) => string): readonly string[] {
  const groups = new Map<string, WithReason[]>();
  for (const one of listed) {
    const group = groups.get(one.reason);
    if (group === undefined) groups.set(one.reason, [one]);
    else group.push(one);
  }
  return [...groups].flatMap(([reason, members]) =>
    members.length === 1 ? members.map(alone) : [`${reason}:`, ...members.map(({ path }) => `  ${path}`)],
  );
}
