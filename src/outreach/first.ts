/** First messages: whoever is at the head of a product's line, one after another, within its limits. */
import { setTimeout as pause } from 'node:timers/promises';
import { accountPace, takeAccountTurn } from '../channels/drivers.ts';
import { readChannel } from '../channels/known.ts';
import { BOT, compose } from '../dialogues/compose.ts';
import { sendClaimed } from '../dialogues/deliver.ts';
import type { Gate } from '../dialogues/gate.ts';
import { insist } from '../dialogues/insist.ts';
import { beginDialogue, contactOfId, hasUnread } from '../dialogues/known.ts';
import { lineName } from '../dialogues/lost.ts';
import { bookSlot } from '../jobs/pace.ts';
import { isForgotten, steadyLead } from '../leads/known.ts';
import { runBecame } from '../llm/runs.ts';
import { dayAt } from '../platform/days.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { Refusal } from '../platform/refuse.ts';
import type { Decision } from './plan.ts';
import { plan } from './plan.ts';
import { stopIfSilent } from './safety.ts';
import { countersOf, leadFacts, settingsOf } from './store/facts.ts';
import {
  headOfLine,
  keepFailure,
  keepVerdicts,
  leaveLine,
  linesOf,
  lockLine,
  mayBeFirst,
  noteFirst,
  planState,
  releaseLine,
  sleepLine,
  takeLine,
  takeSlot,
  triesOf,
  type Verdict,
} from './store/rows.ts';
import { firstText, pauseAfter, type Text } from './text.ts';
import { verdictOf } from './think.ts';

/** So many of each messenger are looked at together: those whose hours have ended meanwhile leave the line at once. */
const HEAD = 20;
/** When somebody is looked at again whose words are not read yet. Real clock. */
const UNREAD_SECONDS = 2;
/** Without an interval so many are with the vendor at once. */
const ABREAST = 8;

type First = Extract<Decision, { kind: 'first' }>;

interface Next {
  readonly firsts: First[];
  /** The product has an interval between first messages. */
  readonly spaced: boolean;
  /** Today in the product's time zone, since 1970. */
  readonly day: number;
}

/** Sends the product's first messages for which there is room now, unless somebody else is at it. */
export function firstMessages(ground: Ground, gate: Gate, productId: number): Promise<void> {
  return ground.hand.hold(lineName(productId), async () => {
    if (!(await takeLine(ground.reader, productId, ground.life))) return;
    try {
      await moveLine(ground, gate, productId);
    } finally {
      await insist(ground, () => releaseLine(ground.reader, productId, ground.life));
    }
  });
}

/** Lines that say they are in this life's hand and are not. */
export async function leaveLostLines(ground: Ground): Promise<void> {
  const rows = (await linesOf(ground.reader, ground.life)).map((id) => ({ id, names: [lineName(id)] }));
  for (const id of ground.hand.leftBehind('lines', rows)) {
    ground.log.warn({ product: id }, 'the line says it is in this life’s hand, and nobody is at it');
    await releaseLine(ground.reader, id, ground.life);
  }
}

async function moveLine(ground: Ground, gate: Gate, productId: number): Promise<void> {
  const sending = new Set<Promise<void>>();
  try {
    for (;;) {
      const { firsts, spaced } = await ground.transact((tx) => nextOf(tx, productId, null));
      if (firsts.length === 0) return;
      // One look at the line serves all for whom there is room; each is asked about again when it is claimed.
      for (const next of firsts) {
        const id = await writeFirst(ground, productId, next);
        if (id === null) continue;
        failpoint('first.afterClaim');
        const sent = sendClaimed(ground, gate, id).finally(() => sending.delete(sent));
        sending.add(sent);
        // With an interval nobody else may go before this one is settled; without, a few go side by side.
        if (spaced || sending.size >= ABREAST) await Promise.race(sending);
      }
    }
  } finally {
    await Promise.all(sending);
  }
}

/**
 * Who goes now, with the line held; `only`: whether this one still does. What the plan says of the others is kept, and
 * when the line is to be looked at again.
 */
async function nextOf(tx: Tx, productId: number, only: number | null): Promise<Next> {
  await lockLine(tx, productId);
  // Held, so that a deactivation is seen here or comes after the claim.
  if (only !== null) await steadyLead(tx, only);
  const settings = await settingsOf(tx, productId);
  if (!settings) return { firsts: [], spaced: true, day: 0 };
  const spaced = (settings.firsts?.intervalSeconds ?? 0) > 0;
  for (;;) {
    const counters = await countersOf(tx, settings);
    const day = dayAt(settings.zone, counters.now);
    const head = only === null ? await headOfLine(tx, productId, HEAD) : [only];
    const leads = await leadFacts(tx, head);
    const decisions = plan({ leads, counters }, settings, counters.now);
    const gone: Verdict[] = [];
    let until: number | null = null;
    const firsts: First[] = [];
    for (const decision of decisions) {
      if (decision.kind === 'first') firsts.push(decision);
      else if (decision.kind === 'wait' && decision.line !== null)
        until = decision.until === null ? until : Math.min(until ?? Number.POSITIVE_INFINITY, decision.until);
      else gone.push(verdictOf(decision, leads, counters.now));
    }
    await keepVerdicts(tx, gone);
    if (firsts.length > 0) return { firsts, spaced, day };
    // Those who left made room for others behind them.
    if (gone.length > 0 && only === null) continue;
    if (only === null) await sleepLine(tx, productId, until);
    return { firsts, spaced, day };
  }
}

/** Makes the text, then claims: dialogue, message and slot in one transaction. Gives the message, in this life's hand. */
async function writeFirst(ground: Ground, productId: number, next: First): Promise<number | null> {
  const { leadId, contactId } = next;
  const state = await planState(ground.reader, leadId);
  const text = await firstText(ground, productId, leadId, contactId);
  failpoint('first.afterText');
  if (text.kind === 'failed') {
    const seconds = text.lasting ? null : pauseAfter(ground, await triesOf(ground.reader, leadId));
    await ground.transact((tx) => keepFailure(tx, leadId, { code: 'text', reason: text.reason }, seconds, state));
    return null;
  }
  const pace = await accountPace(ground.reader, next.channelId);
  const wait = pace ? await bookSlot(ground, `send ${pace.accountId}`, pace.everyMs, pace.burst) : 0;
  if (wait > 0) await pause(wait);
  return ground.transact((tx) => claimFirst(ground, tx, productId, leadId, text));
}

async function claimFirst(
  ground: Ground,
  tx: Tx,
  productId: number,
  leadId: number,
  text: Extract<Text, { kind: 'made' }>,
): Promise<number | null> {
  const {
    firsts: [still],
    day,
  } = await nextOf(tx, productId, leadId);
  if (!still) return null;
  const contact = await contactOfId(tx, still.contactId);
  const channel = await readChannel(tx, still.channelId);
  if (!contact || !channel) return null;
  // The plan knows only of those that had stopped by then.
  if ((await stopIfSilent(tx, channel.id)) !== null) return null;
  // Another product has just used it: the plan then waits for the next.
  if (!(await takeAccountTurn(ground, tx, channel))) return null;
  if (await isForgotten(tx, ground.seal, productId, contact.address)) {
    await keepFailure(tx, leadId, { code: 'forgotten' }, null);
    return null;
  }
  // As one that was cancelled, or put back and never left: nobody is written to first twice.
  if (!(await mayBeFirst(tx, productId, contact.address, leadId))) {
    await keepFailure(tx, leadId, { code: 'talked' }, null);
    return null;
  }
  // He has written, and it is about to be read.
  if (await hasUnread(tx, channel.id, contact.address)) {
    await keepFailure(tx, leadId, { code: 'answer_first' }, UNREAD_SECONDS);
    return null;
  }
  try {
    const { dialogue } = await beginDialogue(tx, contact, channel.id);
    const [messageId] = await compose(tx, dialogue, {
      text: text.text,
      ...BOT,
      turn: dialogue.turn,
      replyOn: null,
      prompt: text.prompt,
      renderedPrompt: text.renderedPrompt,
      model: text.model,
      preparedMessageId: text.preparedMessageId,
      pingConfigId: null,
      pingStepNumber: null,
      origin: 'first',
      inHandOf: ground.life,
    });
    if (messageId === undefined) return null;
    if (text.runId !== null) await runBecame(tx, text.runId, messageId);
    const { address } = contact;
    if (!(await noteFirst(tx, { productId, address, leadId, contactId: contact.id, messageId })))
      throw new Error('The plan let a person be written to twice');
    await leaveLine(tx, leadId);
    await takeSlot(tx, { productId, channelId: channel.id, type: channel.channel_type, messageId, leadId, day });
    failpoint('first.beforeCommit');
    return messageId;
  } catch (error) {
    // Somebody began this very dialogue a moment ago.
    if (!(error instanceof Refusal)) throw error;
    await keepFailure(tx, leadId, { code: 'address_busy' }, null);
    return null;
  }
}
