/**
 * Converts ChatPush's hooks to the lists of Wazzup24's hooks, so that one rule checks the invariants. Parses the
 * vendor's shapes independently of the driver, so as not to share its mistakes.
 */
type Fields = Record<string, unknown>;

/** Return the messages and statuses of a hook of either vendor. */
export function listsOf(body: Record<string, unknown>): Record<string, unknown[]> {
  if ('payload' in body || 'delivery' in body) return listsOfChatpush(body);
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, items]) => (Array.isArray(items) ? [[name, items]] : [])),
  );
}

const fieldsOf = (item: unknown): Fields =>
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

const normalizeStatus = (vendorStatus: unknown): string => STATUS[String(vendorStatus)] ?? 'error';

function listsOfChatpush(body: Fields): Record<string, unknown[]> {
  const delivery = fieldsOf(body['delivery']);
  if ('id' in delivery) {
    const status = normalizeStatus(fieldsOf(delivery['status'])['status_id']);
    return { statuses: [{ messageId: String(delivery['id']), status }] };
  }
  const payload = fieldsOf(body['payload']);
  if (body['type'] === 'whatsapp_status_msg') {
    const { id, status } = fieldsOf(payload['message_status']);
    const messageId = /_d(\d+)THISISBOT/.exec(String(id))?.[1] ?? String(id);
    return { statuses: [{ messageId, status: normalizeStatus(status) }] };
  }
  const nested = fieldsOf(payload['new_message']);
  const one = 'message' in nested ? nested : payload;
  const message = fieldsOf(one['message']);
  if (!('id' in message)) return {};
  const incoming = one['direction'] === 'incoming';
  const own = 'message' in nested ? String(message['id']) : `${String(one['chat_id'])}/${String(message['id'])}`;
  const sent = incoming ? null : payload['delivery_id'];
  return {
    messages: [{ messageId: sent ? String(sent) : own, status: incoming ? 'inbound' : 'sent' }],
  };
}
