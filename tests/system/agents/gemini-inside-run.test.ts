import { describeConversationInsideRun, describeInsideRun } from '../../agents/inside-run.ts';
import { interactiveGemini } from '../../agents/interactive.ts';

describeInsideRun(interactiveGemini);
describeConversationInsideRun(interactiveGemini);
