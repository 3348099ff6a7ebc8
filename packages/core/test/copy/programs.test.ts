/** Programs in copies that are overlays, and in copied folders. tests/system/reflink.test.ts has the same for reflinks. */

import { whyNoOverlays } from '@savepoint/testkit';
import { describe } from 'vitest';
import { testProgramsInCopies } from './programs.ts';

const noOverlays = whyNoOverlays() !== null;

describe.skipIf(noOverlays)('in an overlay on the folder', () => testProgramsInCopies({ rung: 'overlay' }));

describe.skipIf(noOverlays)('in an overlay on a copy', () => testProgramsInCopies({ rung: 'overlay', isLong: true }));

describe('in a copied folder', () => testProgramsInCopies({ rung: 'copy' }));
