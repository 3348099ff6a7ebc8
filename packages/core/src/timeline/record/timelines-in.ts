import type { Ports } from '../../io/ports.ts';
import type { DiskPath } from '../../model/names.ts';
import { openStore } from '../../store/layout.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { listRecords, type WorkspaceRecord } from '../../store/records.ts';
import { Timeline } from './timeline.ts';

export interface FoundTimeline {
  readonly timeline: Timeline;
  readonly objects: ObjectReader;
  /** The folder of its workspace. */
  readonly path: DiskPath;
}

/**
 * Yields the timelines in a home, such as that of a copy. Each can be read only until the next one is asked for.
 * @param isWanted by default, all are
 * @throws SavepointError STORE_DAMAGED, FsError
 */
export function* timelinesIn(
  ports: Ports,
  home: DiskPath,
  isWanted: (record: WorkspaceRecord) => boolean = () => true,
): Generator<FoundTimeline> {
  for (const record of listRecords(ports, home).records.filter(isWanted)) {
    const store = openStore(ports, record.storePath);
    try {
      const timeline = new Timeline(store.objects, store.refs, undefined, record.id);
      yield { timeline, objects: store.objects, path: record.path };
    } finally {
      store.objects.close();
    }
  }
}
