const MAX_CHARACTERS = 1_000;

/** Whether it is a path of a folder inside the workspace, with slashes, as configuration files name folders. */
export function isFolderInside(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > MAX_CHARACTERS || /[\0\r\n]/.test(path)) return false;
  const names = path.replace(/\/$/, '').split('/');
  return names.every((name) => name !== '' && name !== '.' && name !== '..' && name.toLowerCase() !== '.git');
}
