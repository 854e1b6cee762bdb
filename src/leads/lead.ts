/** The lead: what its stages mean to the conversation. */
import { botStoppedStages, type Stage } from './contract.ts';

/** Whether the bot writes nothing in this stage. */
export function isBotStopped(stage: Stage): boolean {
  return botStoppedStages.includes(stage);
}

/** Stages that are an end: a lead who writes after one is a matter for a human. */
export function isFinalStage(stage: Stage): boolean {
  return isBotStopped(stage) || stage === 'success';
}

/** The stage after the lead wrote. */
export function stageAfterInbound(stage: Stage): Stage {
  return stage === 'initial' || stage === 'started' ? 'ongoing' : stage;
}
