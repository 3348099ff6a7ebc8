/** For front ends: the table of verbs, and helpers to render results. */

export type { AutomaticExport } from './config/effective.ts';
export { OPTION_KEYS, specOf } from './config/options.ts';
export { configSchema } from './config/schema.ts';
export type { SettingsSource } from './config/settings.ts';
export { displayWidth, fitStart } from './content/display-width.ts';
export { showContent, wouldDo } from './content/show-name.ts';
export { statLines } from './content/stat-line.ts';
export { unifiedPatch } from './content/unified-patch.ts';
export { canonicalAgent, KNOWN_AGENTS, type KnownAgent } from './model/agent-names.ts';
export { onDisk } from './model/names.ts';
export { answerRequest } from './remote/wire.ts';
export { WAYS_ON } from './rewind/conflict-choices.ts';
export { rolledBackText } from './rewind/rollback.ts';
export type { Exporter } from './share/export-timeline.ts';
export { STORE_FORMAT } from './store/records.ts';
export type { OpenCall } from './store/state/open-calls.ts';
export { COUNTED_FILES } from './timeline/diff/changes.ts';
export { meantCheckpoint } from './timeline/query/resolve.ts';
export { runBisectVerb } from './verbs/copies/bisect.ts';
export { runReplayVerb } from './verbs/copies/replay.ts';
export { conflictChoicesOf } from './verbs/input/conflict-choices.ts';
export { editProblemText, requestProblems } from './verbs/input/request-problems.ts';
export { changeToJson, operationToJson } from './verbs/shapes/to-json.ts';
export { watchEventToJson } from './verbs/shapes/watch-event.ts';
export { VERBS } from './verbs/table.ts';
export { answerStatus, type InputOf, type OutputOf, schemasOf, type Verb } from './verbs/verb.ts';
