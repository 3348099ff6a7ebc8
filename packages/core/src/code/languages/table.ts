import type { Language } from '../language.ts';
import { javascript } from './javascript/index.ts';

export const LANGUAGES: readonly Language[] = [javascript];
