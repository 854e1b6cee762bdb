/** Hooks of ChatPush in every known shape, each created on demand so that a test may change it. */
export const payloads = {
  nested: () => ({
    type: 'whatsapp_incoming_msg',
    payload: {
      customer_id: 10_001,
      delivery_id: null,
      new_message: {
        direction: 'incoming',
        chat_id: '79990000002@c.us',
        chat_phone: '79990000002',
        sender_phone_number: '79990000002',
        pushname: 'Lead',
        sender_name: 'Lead',
        message: {
          id: 'false_79990000002@c.us_3AAAA',
          type: 'text',
          text: 'hi',
          timestamp: 1_790_000_000,
          reply_to_message_id: null,
        },
      },
    },
  }),
  flat: () => ({
    type: 'tdlib_incoming_msg',
    payload: {
      customer_id: 10_001,
      chat_id: 500_000_001,
      chat_type: 'person',
      direction: 'incoming',
      sender_id: 500_000_001,
      sender_name: 'Lead',
      sender_phone_number: '79990000002',
      recipient_phone_number: '79990000001',
      recipient_username: 'ourname',
      delivery_id: null,
      message: {
        id: 40_000_000_001,
        type: 'formattedText',
        text: 'hi',
        timestamp: 1_790_000_000,
        reply_to_message_id: null,
      },
    },
  }),
  max: () => ({
    type: 'max_incoming_msg',
    payload: {
      customer_id: 10_001,
      chat_id: '9007199254740993',
      chat_type: 'person',
      direction: 'incoming',
      timestamp: 1_790_000_000,
      message: { id: '9007199254740995', type: 'text', text: 'hi' },
    },
  }),
  media: () => ({
    type: 'whatsapp_incoming_msg',
    payload: {
      instance: { id: 5, customer_id: 10_001 },
      delivery_id: null,
      new_message: {
        direction: 'incoming',
        chat_id: '79990000002@c.us',
        chat_phone: '79990000002',
        message: {
          id: 'false_79990000002@c.us_3BBBB',
          type: 'document',
          timestamp: 1_790_000_000,
          file_data: { mime_type: 'application/pdf', caption: 'plan', download_url: 'https://files.example/plan' },
        },
      },
    },
  }),
  status: () => ({
    type: 'whatsapp_status_msg',
    payload: {
      customer_id: 10_001,
      message_status: {
        id: 'true_79990000002@lid_d300000001THISISBOT',
        status: 'read',
        chat_id: '79990000002@c.us',
        chat_phone: '79990000002',
      },
    },
  }),
  call: () => ({
    type: 'whatsapp_call',
    payload: {
      customer_id: 10_001,
      incoming_call: {
        call: { id: 'call-1', timestamp: 1_790_000_000, type: 'voice', is_group: false },
        direction: 'incoming',
        chat_id: '79990000002@c.us',
        chat_phone: '79990000002',
      },
    },
  }),
  notice: () => ({ type: 'whatsapp_log_out', payload: { customer_id: 10_001 } }),
  callback: () => ({
    meta: { code: 200, status: 'success' },
    delivery: {
      id: 300_000_001,
      phone: '+79990000002',
      status: { status_id: 2, status_description: 'Delivered' },
      external_id: 'our-key',
    },
  }),
};
