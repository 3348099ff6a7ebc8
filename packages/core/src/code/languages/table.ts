import type { Language } from '../language.ts';
import { PYTHON } from './python/language.ts';

/** All languages that are understood. */
export const LANGUAGES: readonly Language[] = [PYTHON];
