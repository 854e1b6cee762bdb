/** The meaning of a lead's state for the conversation: what its stages stand for, and whether the bot may speak. */
import { botStoppedStages, type Lead, type Stage } from './contract.ts';

/** Check for a final stage: a lead who writes after it needs a human. */
export function isFinalStage(stage: Stage): boolean {
  return botStoppedStages.includes(stage) || stage === 'success';
}

/** Return the stage after an inbound message. */
export function stageAfterInbound(stage: Stage): Stage {
  return stage === 'initial' || stage === 'started' ? 'ongoing' : stage;
}

/** Return the stage after a message to the lead has left. */
export function stageAfterOutbound(stage: Stage): Stage {
  return stage === 'initial' ? 'started' : stage;
}

/** What a new stage means to the dialogues of its lead: the bot falls silent in them, people get them, or nothing. */
export function effectOfStage(stage: Stage): 'silence' | 'hand_over' | null {
  if (botStoppedStages.includes(stage)) return 'silence';
  return stage === 'success' ? 'hand_over' : null;
}

/** What the bot does: answer the lead, or act by itself (classification, outreach), which `success` ends as well. */
type Work = 'answer' | 'initiative';

/** Why the bot does not speak to a lead at all. */
export type LeadBlockReason =
  | { readonly code: 'opted_out' | 'inactive' | 'product_off' }
  | { readonly code: 'stage'; readonly stage: string };

/** Why the bot gives a dialogue to people itself. */
export const botHandOverReasons = ['asked_for_human', 'agrees_to_buy', 'cannot_answer', 'threatens'] as const;
export type BotHandOverReason = (typeof botHandOverReasons)[number];
/**
 * Why a dialogue is given to people who do not know of it yet: by the bot, by stage detection, or because another program
 * seems to write (`robot`).
 */
export const handOverReasons = ['qualified', ...botHandOverReasons, 'robot'] as const;
export type HandOverReason = (typeof handOverReasons)[number];

/** Whether the bot itself has given the dialogue to people. */
export const isBotHandOver = (reason: OwnerReason | null): boolean =>
  botHandOverReasons.some((code) => code === reason?.code);

export const ownerReasonCodes = [
  'operator',
  'phone',
  'writes_again',
  'crm_step',
  'crm_deleted',
  ...handOverReasons,
] as const;
export type OwnerReasonCode = (typeof ownerReasonCodes)[number];
/** Why a human owns a dialogue, as the API shows it. `{detail}`: the operator's login, or the step of the CRM. */
export const OWNER_REASONS: Readonly<Record<OwnerReasonCode, string>> = {
  operator: '{detail}',
  phone: 'phone',
  qualified: 'qualified',
  writes_again: 'writes again',
  crm_step: 'Moved to "{detail}" in amoCRM',
  crm_deleted: 'The card was deleted in amoCRM',
  asked_for_human: 'asked for a person',
  agrees_to_buy: 'agrees to buy',
  cannot_answer: 'asked what the bot does not know',
  threatens: 'complains',
  robot: 'Probably an automatic reply',
};
export interface OwnerReason {
  readonly code: OwnerReasonCode;
  readonly detail?: string | null;
}

/** A hand-over by the bot or by stage detection: somebody has to be found who sees to the dialogue. */
export interface OpenHandOver extends OwnerReason {
  readonly code: HandOverReason;
  readonly isOpen: true;
}
export type HandOver = (OwnerReason & { readonly isOpen?: false }) | OpenHandOver;

/** Why the bot may not speak in a dialogue. `by`: why a human owns it, if known. */
export type BlockReason =
  | LeadBlockReason
  | { readonly code: 'human'; readonly by?: OwnerReason | null }
  | { readonly code: 'newer_message' };

interface LeadState {
  /** Undefined if the lead is gone. */
  readonly lead: Pick<Lead, 'is_active' | 'recognized_deactivation_request' | 'stage'> | undefined;
  readonly isProductActive: boolean;
}

interface DialogueState extends LeadState {
  readonly owner: 'bot' | 'human';
  readonly handedOverBy?: OwnerReason | null;
  /** Whether the lead wrote again after the turn that the work is about. */
  readonly isSuperseded?: boolean;
}

/**
 * Return why the bot may not speak in a dialogue; null if it may. The one rule for replies, sends, classification and
 * inbound messages; `leadBlockReason` is its part for the plan and the console.
 */
export function botBlockReason(state: DialogueState, work: Work): BlockReason | null {
  const { owner, handedOverBy, isSuperseded = false } = state;
  if (owner === 'human') return { code: 'human', ...(handedOverBy === undefined ? {} : { by: handedOverBy }) };
  return leadBlockReason(state, work) ?? (isSuperseded ? { code: 'newer_message' } : null);
}

/** Return why the bot does not speak to a lead, no matter who owns its dialogues; null if it does. */
export function leadBlockReason({ lead, isProductActive }: LeadState, work: Work): LeadBlockReason | null {
  // A lead who opted out may have been activated again since: then it is written to.
  if (!lead?.is_active) return { code: lead?.recognized_deactivation_request ? 'opted_out' : 'inactive' };
  const isStopped = work === 'answer' ? botStoppedStages.includes(lead.stage) : isFinalStage(lead.stage);
  if (isStopped) return { code: 'stage', stage: lead.stage };
  return isProductActive ? null : { code: 'product_off' };
}

/** Return the sentence that operators see for a block reason. */
export function blockReasonText(reason: BlockReason): string {
  switch (reason.code) {
    case 'human':
      return reason.by ? `A human took over (${ownerReasonText(reason.by)})` : 'A teammate is replying';
    case 'opted_out':
      return 'The lead opted out';
    case 'inactive':
      return 'The lead is deactivated';
    case 'stage':
      return `The lead is in stage ${reason.stage}`;
    case 'product_off':
      return 'The product is switched off';
    case 'newer_message':
      return 'The lead wrote again';
    default:
      return reason satisfies never;
  }
}

/** Return why a human owns a dialogue, as the API and the CRM show it. */
export function ownerReasonText({ code, detail }: OwnerReason): string {
  return OWNER_REASONS[code].replace('{detail}', () => detail ?? '');
}
