/** The meaning of a lead's stages for the conversation. */
import { botStoppedStages, type Stage } from './contract.ts';

/** Check whether the bot writes nothing in this stage. */
export function isBotStopped(stage: Stage): boolean {
  return botStoppedStages.includes(stage);
}

/** Check for a final stage: a lead who writes after it needs a human. */
export function isFinalStage(stage: Stage): boolean {
  return isBotStopped(stage) || stage === 'success';
}

/** Return the stage after an inbound message. */
export function stageAfterInbound(stage: Stage): Stage {
  return stage === 'initial' || stage === 'started' ? 'ongoing' : stage;
}
