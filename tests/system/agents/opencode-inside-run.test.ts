import { describeConversationInsideRun, describeInsideRun } from '../../agents/inside-run.ts';
import { interactiveOpencode } from '../../agents/interactive.ts';

describeInsideRun(interactiveOpencode);
describeConversationInsideRun(interactiveOpencode);
