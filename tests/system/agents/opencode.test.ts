import { describeHooked } from '../../agents/hooked.ts';
import { opencode } from '../../agents/opencode.ts';

describeHooked({ program: opencode, options: {}, settings: '.opencode' });
