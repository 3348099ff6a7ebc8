import type { DiskPath } from '../model/names.ts';

const HOME_OF_COPY = /\/copies\/copy_[0-9a-f]{8}\/home$/;

/** Whether this is the home that processes in a copy have (io/node/home-in-copy.ts). */
export function isHomeOfCopy(home: DiskPath): boolean {
  return HOME_OF_COPY.test(home);
}
