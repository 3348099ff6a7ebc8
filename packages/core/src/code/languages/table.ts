import type { Language } from '../language.ts';
import { GO } from './go/language.ts';
import { PYTHON } from './python/language.ts';

/** All languages that are understood. */
export const LANGUAGES: readonly Language[] = [PYTHON, GO];
