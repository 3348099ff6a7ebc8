/** Parts of a directed graph. Nothing here recurses: a chain may have as many files as the workspace. */

/** An edge leads from a node to what it needs. Nodes without edges may be absent. */
export type Edges<Node> = ReadonlyMap<Node, ReadonlySet<Node>>;

/** The nodes that can reach each other, together. A component comes after those that it needs. */
export function cyclesTogether<Node>(nodes: Iterable<Node>, edges: Edges<Node>): readonly (readonly Node[])[] {
  const seen = new Map<Node, Visit>();
  const open: Node[] = [];
  const components: Node[][] = [];
  for (const start of nodes) {
    if (seen.has(start)) continue;
    const way = [visit(start)];
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const { value: next, done } = at.left.next();
      if (done !== true) {
        const known = seen.get(next);
        if (known === undefined) way.push(visit(next));
        else if (known.isOpen) at.lowest = Math.min(at.lowest, known.number);
        continue;
      }
      way.pop();
      const above = way.at(-1);
      if (above !== undefined) above.lowest = Math.min(above.lowest, at.lowest);
      if (at.lowest === at.number) components.push(close(at.node));
    }
  }
  return components;

  function visit(node: Node): Step<Node> {
    const visited: Visit = { number: seen.size, isOpen: true };
    seen.set(node, visited);
    open.push(node);
    return { node, number: visited.number, lowest: visited.number, left: (edges.get(node) ?? [])[Symbol.iterator]() };
  }

  function close(first: Node): Node[] {
    const component = open.splice(open.lastIndexOf(first));
    for (const node of component) {
      const visited = seen.get(node);
      if (visited !== undefined) visited.isOpen = false;
    }
    return component;
  }
}

/** The nodes that edges connect, in any direction, in the order of their first nodes. */
export function connected<Node>(nodes: Iterable<Node>, edges: Edges<Node>): readonly (readonly Node[])[] {
  const neighbours = new Map<Node, Node[]>([...nodes].map((node) => [node, []]));
  for (const [from, targets] of edges) {
    for (const to of targets) {
      neighbours.get(from)?.push(to);
      neighbours.get(to)?.push(from);
    }
  }
  const seen = new Set<Node>();
  const groups: Node[][] = [];
  for (const start of neighbours.keys()) {
    if (seen.has(start)) continue;
    const group = new Set([start]);
    for (const node of group) for (const next of neighbours.get(node) ?? []) group.add(next);
    for (const node of group) seen.add(node);
    groups.push([...group]);
  }
  return groups;
}

interface Visit {
  readonly number: number;
  /** Whether its component is not known yet. */
  isOpen: boolean;
}

interface Step<Node> {
  readonly node: Node;
  readonly number: number;
  lowest: number;
  readonly left: Iterator<Node, unknown>;
}
