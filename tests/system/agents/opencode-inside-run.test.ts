import { describeInsideRun } from '../../agents/inside-run.ts';
import { interactiveOpencode } from '../../agents/interactive.ts';

describeInsideRun(interactiveOpencode);
