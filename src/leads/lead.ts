/** The lead: what its stages mean to the conversation. */
import { type Stage, silencedStages } from './contract.ts';

/** Whether the bot writes nothing in this stage. */
export function isSilenced(stage: Stage): boolean {
  return silencedStages.includes(stage);
}

/** Stages that are an end: a lead who writes after one is a matter for a human. */
export function isOver(stage: Stage): boolean {
  return isSilenced(stage) || stage === 'success';
}

/** The stage after the lead wrote. */
export function stageAfterInbound(stage: Stage): Stage {
  return stage === 'initial' || stage === 'started' ? 'ongoing' : stage;
}
