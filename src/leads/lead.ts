/** The lead: what its stages mean to the conversation. */
import type { Stage } from './contract.ts';

/** Stages in which the bot writes nothing. */
export function isSilenced(stage: Stage): boolean {
  switch (stage) {
    case 'refused':
    case 'ignore':
    case 'failed':
      return true;
    case 'initial':
    case 'started':
    case 'ongoing':
    case 'pending':
    case 'success':
      return false;
    default:
      return stage satisfies never;
  }
}

/** Stages that are an end: a lead who writes after one is a matter for a human. */
export function isOver(stage: Stage): boolean {
  return isSilenced(stage) || stage === 'success';
}

/** The stage after the lead wrote. */
export function stageAfterInbound(stage: Stage): Stage {
  return stage === 'initial' || stage === 'started' ? 'ongoing' : stage;
}
