/**
 * The step of the times that node sets on files, in milliseconds: a nanosecond since libuv 1.52 (newer versions of Node
 * 24, and 26), a microsecond before.
 */
export const TIME_STEP_MS = stepOf(process.versions['uv']);

function stepOf(libuv: string | undefined): number {
  const [major = 0, minor = 0] = (libuv ?? '').split('.').map(Number);
  return major > 1 || minor >= 52 ? 1e-6 : 1e-3;
}
