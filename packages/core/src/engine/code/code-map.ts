/** A map of the code of a workspace: the files that matter most, with their main symbols. Loaded lazily: it needs all languages. */

import type { CodeGraph } from '../../code/graph/graph.ts';
import { graphsOf } from '../../code/index.ts';
import { type CodeMap, type MapOptions, mapOf } from '../../code/map/map.ts';
import type { LanguageTable } from '../../code/reader.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { TreePath } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { SHOWN_IN_MAP } from './map-lines.ts';
import { type StatesToAnalyse, withStates } from './open-states.ts';
import { type CodeUnsaid, unknownOf, unreadOf } from './unsaid.ts';

export interface CodeMapReport extends CodeMap {
  /** Files and folders in focus that have no source file. */
  readonly unknownFocus: readonly TreePath[];
  /** What the map cannot say. */
  readonly unsaid: readonly CodeUnsaid[];
}

const NOTHING: CodeMap = { files: [], left: 0, tokens: 0 };

/**
 * Maps the second state. The first one is what the next analysis probably starts from as well.
 * @param request.focus files, and folders with what is below them
 * @throws SavepointError CANCELLED
 */
export function mapStates(
  engine: Pick<Engine, 'lastGraph' | 'pace'>,
  workspace: Workspace,
  states: StatesToAnalyse,
  request: Pick<MapOptions, 'tokens' | 'focus'>,
  options: CallOptions,
): Promise<CodeMapReport> {
  return withStates(engine, workspace, states, options, {
    run: async (opened) => reportOf((await graphsOf(opened)).proposed, opened.languages, request),
    refuse: (why) => ({ ...NOTHING, unknownFocus: [], unsaid: [why] }),
  });
}

function reportOf(
  graph: CodeGraph,
  languages: LanguageTable,
  { tokens, focus }: Pick<MapOptions, 'tokens' | 'focus'>,
): CodeMapReport {
  const files = [...graph.nodes].map(([path, { facts }]) => ({ path, facts }));
  const wanted = new PathSet(focus);
  const focused = files.map(({ path }) => path).filter((path) => wanted.covers(path));
  const found = new PathSet(focused);
  return {
    ...mapOf(files, { tokens, focus: focused, shown: SHOWN_IN_MAP }),
    unknownFocus: focus.filter((path) => !found.hasAtOrBelow(path)),
    unsaid: [...unreadOf(graph, languages), ...unknownOf(graph.tree.files.keys(), languages)],
  };
}
