/** What an operator does to messages: write, edit, hurry, cancel, send again, settle. */
import { sql } from 'kysely';
import { driverOf } from '../channels/drivers.ts';
import { channelFor } from '../channels/known.ts';
import { enqueue } from '../jobs/runner.ts';
import type { BodyOf, QueryOf } from '../platform/contract.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { sendNew } from './chatbotContract.ts';
import { compose, TYPED } from './compose.ts';
import type { editMessage, messages as messageEndpoints } from './contract.ts';
import { handOver } from './ownership.ts';
import { dialogueRefusals } from './refusals.ts';
import { insertDialogue, lockDialogue, noteOutbound, oweAnswer, surroundings } from './store/dialogues.ts';
import { cancelMessage, lockMessage, updateMessage } from './store/messages.ts';
import type { DialogueRow, MessageRow } from './store/tables.ts';

async function mustLockMessage(tx: Tx, id: number): Promise<MessageRow> {
  // The dialogue first: the same order as the claim, which decides whether the message has left.
  await sql`select 1 from dialogues where id = (select dialogue_id from messages where id = ${id}) for update`.execute(
    tx,
  );
  const message = await lockMessage(tx, id);
  if (!message || message.removed_at !== null) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  return message;
}

interface ContactRow {
  id: number;
  product_id: number;
  address: string;
  contact_type: 'telegram' | 'whatsapp';
}

async function contactRow(tx: Tx, id: number): Promise<ContactRow> {
  const { rows } =
    await sql<ContactRow>`select id, product_id, address, contact_type from contacts where id = ${id}`.execute(tx);
  const [row] = rows;
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'contact' });
  return row;
}

/** A message typed by an operator in a dialogue: it takes the dialogue over. */
export async function sendByHand(
  ground: Ground,
  body: BodyOf<typeof messageEndpoints.create>,
  operator: string,
): Promise<{ dialogueId: number; ids: number[] }> {
  return ground.transact(async (tx) => {
    const contact = await contactRow(tx, body.contact_id);
    if (contact.product_id !== body.product_id) throw refuse(dialogueRefusals, 'dialogue.mismatch');
    const dialogue =
      body.dialogue_id === null ? await mainDialogue(tx, body.contact_id) : await lockDialogue(tx, body.dialogue_id);
    if (!dialogue) throw refuse(dialogueRefusals, 'dialogue.none');
    if (dialogue.contact_id !== body.contact_id) throw refuse(dialogueRefusals, 'dialogue.mismatch');
    if (dialogue.owner === 'bot') await handOver(tx, dialogue, operator);
    const ids = await compose(tx, dialogue, {
      ...TYPED,
      text: body.message,
      operator,
      split: body.split,
      delay: body.delay_enabled,
      schedule: body.schedule_enabled,
      debounceGuard: body.debounce_guard,
      notBefore: body.send_not_before,
      clientKey: body.client_key,
      replyOn: body.reply_on_msg_id,
      prompt: null,
      renderedPrompt: body.rendered_prompt,
      preparedMessageId: body.prepared_message_id,
      pingConfigId: body.ping_config_id,
      pingStepNumber: body.ping_step_number,
    });
    return { dialogueId: dialogue.id, ids };
  });
}

async function mainDialogue(tx: Tx, contactId: number): Promise<DialogueRow | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from dialogues where contact_id = ${contactId} order by is_main desc, last_msg_created_at desc nulls last, id desc limit 1`.execute(
    tx,
  );
  return rows[0] ? lockDialogue(tx, rows[0].id) : undefined;
}

/** Writes to a contact in its dialogue on the channel, or begins one. In a new dialogue the bot stays in charge. */
export async function writeToContact(
  ground: Ground,
  body: BodyOf<typeof sendNew>,
  query: QueryOf<typeof sendNew>,
  operator: string,
): Promise<{ dialogueId: number; ids: number[] }> {
  const { text } = body;
  // Prepared messages and documents have no rows yet, so the reference check has refused any id of one.
  if (text === null) throw refuse(commonRefusals, 'not_found', { noun: 'prepared message' });
  return ground.transact(async (tx) => {
    const contact = await contactRow(tx, body.contact_id);
    const channelId = body.channel_id ?? (await channelFor(tx, contact.product_id, contact.contact_type));
    if (channelId === undefined) throw refuse(dialogueRefusals, 'dialogue.no_channel', { type: contact.contact_type });
    const { dialogue, isNew } = await dialogueOn(tx, contact, channelId);
    if (!isNew && dialogue.owner === 'bot') await handOver(tx, dialogue, operator);
    const ids = await compose(tx, dialogue, {
      ...TYPED,
      text,
      operator,
      split: body.split,
      delay: query.delay_enabled,
      schedule: query.schedule_enabled,
      notBefore: body.send_not_before,
      clientKey: null,
    });
    return { dialogueId: dialogue.id, ids };
  });
}

async function dialogueOn(
  tx: Tx,
  contact: ContactRow,
  channelId: number,
): Promise<{ dialogue: DialogueRow; isNew: boolean }> {
  const { rows } = await sql<{ id: number; contact_id: number }>`
    select id, contact_id from dialogues where channel_id = ${channelId} and address = ${contact.address}`.execute(tx);
  const [known] = rows;
  if (known && known.contact_id !== contact.id) throw refuse(dialogueRefusals, 'dialogue.exists', { id: known.id });
  const { rows: linked } =
    await sql`select 1 from product_channels where product_id = ${contact.product_id} and channel_id = ${channelId}`.execute(
      tx,
    );
  if (!known && linked.length === 0) throw refuse(dialogueRefusals, 'dialogue.channel_not_linked');
  const chatId = contact.contact_type === 'whatsapp' ? contact.address : null;
  const id =
    known?.id ??
    (await insertDialogue(tx, {
      productId: contact.product_id,
      contactId: contact.id,
      channelId,
      chatId,
      address: contact.address,
    }));
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return { dialogue, isNew: !known };
}

/** Changes the text or the time of a message that has not left. */
export async function editScheduled(ground: Ground, id: number, body: BodyOf<typeof editMessage>): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'scheduled') throw refuse(dialogueRefusals, 'message.left', { status: message.status });
    await updateMessage(tx, id, {
      ...(body.message === undefined ? {} : { message: body.message }),
      ...(body.scheduled_at === undefined ? {} : { scheduled_at: body.scheduled_at }),
    });
    await wake(tx, message);
  });
}

export async function sendScheduledNow(ground: Ground, id: number): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'scheduled') throw refuse(dialogueRefusals, 'message.left', { status: message.status });
    await sql`update messages set scheduled_at = least(scheduled_at, domain_now()), retry_at = null, schedule_enabled = false where id = ${id}`.execute(
      tx,
    );
    await wake(tx, message);
  });
}

/** Sends a failed or unconfirmed message again: inside the vendor's window under its old key, later under a new one. */
export async function retry(ground: Ground, id: number): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'error' && message.status !== 'unconfirmed') {
      throw refuse(dialogueRefusals, 'message.not_failed', { status: message.status });
    }
    const around = await surroundings(tx, message.dialogue_id);
    const windowSeconds = around ? driverOf(around.vendor).keyWindowMs / 1000 : 0;
    await sql`
      update messages set status = 'scheduled', scheduled_at = domain_now(), retry_at = null, reason = null, error_code = null, ext_id = null,
             unconfirmed_at = null, tries = 0, retry_count = retry_count + 1, turn = null,
             send_key = case when send_key_used_at > clock_timestamp() - make_interval(secs => ${windowSeconds}) and status = 'unconfirmed' then send_key else gen_random_uuid() end,
             send_key_used_at = case when send_key_used_at > clock_timestamp() - make_interval(secs => ${windowSeconds}) and status = 'unconfirmed' then send_key_used_at else null end
       where id = ${id}`.execute(tx);
    await wake(tx, message);
  });
}

/** An operator knows that an unconfirmed message arrived. */
export async function settleAsSent(ground: Ground, id: number): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'unconfirmed')
      throw refuse(dialogueRefusals, 'message.not_unconfirmed', { status: message.status });
    await sql`update messages set status = 'sent', unconfirmed_at = null, reason = null, sent_at = coalesce(sent_at, domain_now()) where id = ${id}`.execute(
      tx,
    );
    await noteOutbound(tx, message.dialogue_id, id, message.message.slice(0, 140));
    await wake(tx, message);
  });
}

/** Deletes a message: a scheduled one is cancelled, another leaves the view. */
export async function removeMessage(tx: Tx, id: number, operator: string): Promise<void> {
  const message = await mustLockMessage(tx, id);
  if (message.status === 'scheduled') {
    await cancelMessage(tx, id, `Cancelled by ${operator}`);
  } else if (message.status === 'sending') {
    throw refuse(dialogueRefusals, 'message.left', { status: message.status });
  } else {
    await sql`update messages set removed_at = domain_now() where id = ${id}`.execute(tx);
  }
  await wake(tx, message);
}

/** Tries again on a dialogue that could not be answered. */
export async function tryAnswerAgain(tx: Tx, id: number): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.no_answer === null && dialogue.turn_due_at === null) throw refuse(dialogueRefusals, 'dialogue.answered');
  await oweAnswer(tx, id);
  await enqueue(tx, 'reply', { dialogue: id }, `reply:${id}`);
  await announce(tx, 'dialogue', dialogue.product_id, [id]);
}

async function wake(tx: Tx, message: MessageRow): Promise<void> {
  await enqueue(tx, 'deliver', { dialogue: message.dialogue_id }, `deliver:${message.dialogue_id}`);
  await announce(tx, 'message', message.product_id, [message.id]);
}
