import type { Language } from '../language.ts';
import { C, CPP } from './c/language.ts';
import { CSHARP } from './csharp/language.ts';
import { GO } from './go/language.ts';
import { JAVA } from './java/language.ts';
import { javascript } from './javascript/index.ts';
import { COMMON_LISP, EMACS_LISP } from './lisp/language.ts';
import { PHP } from './php/language.ts';
import { PYTHON } from './python/language.ts';
import { RUBY } from './ruby/language.ts';
import { RUST } from './rust/language.ts';

/** All languages that are understood. */
export const LANGUAGES: readonly Language[] = [
  javascript,
  PYTHON,
  GO,
  RUST,
  JAVA,
  C,
  CPP,
  CSHARP,
  RUBY,
  PHP,
  COMMON_LISP,
  EMACS_LISP,
];
