/** Loads what keeps our hooks in settings. A hook needs it only if it reverts frozen paths. */

import type { LoadOwnEntries } from '@savepoint/core/ports';

export const loadOwnEntries: LoadOwnEntries = async () => (await import('../settings/own-entries.ts')).ownEntries;
