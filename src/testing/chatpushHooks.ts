/**
 * What ChatPush told, in the lists that Wazzup24 tells in, so that the promises are checked by one rule. Read off the
 * vendor's shapes by itself: it must not share a mistake with the driver.
 */
type Words = Record<string, unknown>;

/** The messages and statuses of a hook, whichever vendor's. */
export function listsOf(body: Record<string, unknown>): Record<string, unknown[]> {
  if ('payload' in body || 'delivery' in body) return listsOfChatpush(body);
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, items]) => (Array.isArray(items) ? [[name, items]] : [])),
  );
}

const words = (item: unknown): Words =>
  typeof item === 'object' && item !== null ? Object.fromEntries(Object.entries(item)) : {};

const STATUS: Readonly<Record<string, string>> = {
  sent: 'sent',
  received: 'delivered',
  read: 'read',
  failed: 'error',
  1: 'sent',
  2: 'delivered',
  6: 'sent',
  16: 'read',
};

const statusOf = (given: unknown): string => STATUS[String(given)] ?? 'error';

function listsOfChatpush(body: Words): Record<string, unknown[]> {
  const delivery = words(body['delivery']);
  if ('id' in delivery) {
    const status = statusOf(words(delivery['status'])['status_id']);
    return { statuses: [{ messageId: String(delivery['id']), status }] };
  }
  const payload = words(body['payload']);
  if (body['type'] === 'whatsapp_status_msg') {
    const { id, status } = words(payload['message_status']);
    const messageId = /_d(\d+)THISISBOT/.exec(String(id))?.[1] ?? String(id);
    return { statuses: [{ messageId, status: statusOf(status) }] };
  }
  const nested = words(payload['new_message']);
  const one = 'message' in nested ? nested : payload;
  const message = words(one['message']);
  if (!('id' in message)) return {};
  const incoming = one['direction'] === 'incoming';
  const own = 'message' in nested ? String(message['id']) : `${String(one['chat_id'])}/${String(message['id'])}`;
  const sent = incoming ? null : payload['delivery_id'];
  return {
    messages: [{ messageId: sent ? String(sent) : own, status: incoming ? 'inbound' : 'sent' }],
  };
}
