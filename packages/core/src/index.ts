export { type Fd, type FileKind, type Fs, FsError, isFsError, kindOf, permissions, type Stat } from './io/fs.ts';
export type { Clock, Places, Ports, Processes, ProcessIdentity, Random } from './io/ports.ts';
export {
  bytesFromText,
  type DiskPath,
  type JsonName,
  type Name,
  nameFromJson,
  nameToJson,
  type TreePath,
  textFromBytes,
} from './model/names.ts';
