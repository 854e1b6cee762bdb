/** A dialogue of thousands of messages, stored directly. */

type Query = (sql: string, values: unknown[]) => Promise<unknown>;

/**
 * Store messages `Message 1.`, `Message 2.`, … in a dialogue, seven minutes apart, the last one now: of the lead, the
 * bot and an operator in turn, some of several lines.
 */
export async function insertMessages(query: Query, dialogueId: number, count: number): Promise<void> {
  await query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, ext_id,
                           model_vendor, model_name, prompt_name, prompt_version, created_at, thread_at, sent_at, read_at)
     select d.product_id, d.contact_id, d.id, d.channel_id, m.text, case when n % 2 = 0 then 'user' else 'bot' end,
            case when n % 2 = 0 then 'lead' when n % 10 = 1 then 'operator' else 'bot' end,
            case when n % 10 = 1 then 'vera' end, case when n % 2 = 0 then 'inbound' else 'read' end, 'thread ' || d.id || ' ' || n,
            case when m.generated then 'chatgpt' end, case when m.generated then 'gpt-5' end, case when m.generated then 'Vera' end,
            case when m.generated then 3 end, m.at, m.at, case when n % 2 = 1 then m.at end, case when n % 2 = 1 then m.at end
       from dialogues d cross join generate_series(1, $2::int) n
       cross join lateral (select domain_now() - ($2::int - n) * interval '7 minutes' as at, n % 2 = 1 and n % 10 <> 1 as generated,
              'Message ' || n || '. ' || repeat('How long does delivery take, and what does it cost? ', n * 7 % 11) ||
              case when n % 9 = 0 then E'\\nhttps://example.com/kitchens/' || n else '' end as text) m
      where d.id = $1 order by n`,
    [dialogueId, count],
  );
  await query(
    `update dialogues set last_msg_created_at = domain_now(), last_message = 'Message',
            last_bot_msg_id = (select max(id) from messages where dialogue_id = $1)
      where id = $1`,
    [dialogueId],
  );
}
