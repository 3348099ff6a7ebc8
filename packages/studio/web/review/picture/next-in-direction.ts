import type { Layout } from './layout.ts';

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
/** How much worse it is to be beside the direction than to be far away in it. */
const ASIDE = 4;

/** @returns the file that is nearest in the direction of an arrow key; null: there is none, or it is another key */
export function nextInDirection(files: Layout['files'], from: string | null, key: string): string | null {
  const direction = DIRECTIONS[key];
  if (direction === undefined) return null;
  const start = files.find(({ file }) => file.key === from)?.box;
  if (start === undefined) return files[0]?.file.key ?? null;
  const [dx, dy] = direction;
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const { file, box } of files) {
    const [x, y] = [box.x - start.x, box.y - start.y];
    const ahead = x * dx + y * dy;
    const distance = ahead + ASIDE * Math.abs(x * dy + y * dx);
    if (ahead <= 0 || distance >= least) continue;
    least = distance;
    best = file.key;
  }
  return best;
}
