import type { Language } from '../language.ts';
import { C, CPP } from './c/language.ts';
import { GO } from './go/language.ts';
import { JAVA } from './java/language.ts';
import { PYTHON } from './python/language.ts';
import { RUST } from './rust/language.ts';

/** All languages that are understood. */
export const LANGUAGES: readonly Language[] = [PYTHON, GO, RUST, JAVA, C, CPP];
