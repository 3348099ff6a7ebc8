import { gemini } from '../../agents/gemini.ts';
import { describeHooked } from '../../agents/hooked.ts';

describeHooked({ program: gemini, options: {}, settings: '.gemini' });
