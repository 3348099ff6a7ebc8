import { codex } from '../../agents/codex.ts';
import { describeHooked } from '../../agents/hooked.ts';

describeHooked({ program: codex, options: {}, settings: '.codex' });
