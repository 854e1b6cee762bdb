/** The only account of the emulated amoCRM: its users, pipelines and fields. */

export const ACCOUNT = { id: 31_000_777, name: 'Demo account', subdomain: 'demo', country: 'RU', currency: 'EUR' };

/** User that integrations act as, and the one who works on the board and is responsible for every card. */
export const API_USER = 11;
export const BOARD_USER = 12;

/** The same ids in every pipeline. */
export const WON_STATUS_ID = 142;
export const LOST_STATUS_ID = 143;

const ends = [
  { id: WON_STATUS_ID, name: 'Closed - won', color: '#CCFF66', type: 0 },
  { id: LOST_STATUS_ID, name: 'Closed - lost', color: '#D5D8DB', type: 0 },
];

/** Type 1 marks the incoming stage, which no card is moved out of manually. */
export const PIPELINES = [
  {
    id: 50_001,
    name: 'Kitchens',
    statuses: [
      { id: 60_000, name: 'Incoming leads', color: '#c1c1c1', type: 1 },
      { id: 60_001, name: 'New lead', color: '#99ccff', type: 0 },
      { id: 60_002, name: 'First message sent', color: '#ffff99', type: 0 },
      { id: 60_003, name: 'Talking', color: '#ffcc66', type: 0 },
      { id: 60_004, name: 'Thinking it over', color: '#ffcccc', type: 0 },
      { id: 60_005, name: 'Manager calls', color: '#deff81', type: 0 },
      ...ends,
    ],
  },
  {
    id: 50_002,
    name: 'Wardrobes',
    statuses: [
      { id: 60_100, name: 'Incoming leads', color: '#c1c1c1', type: 1 },
      { id: 60_101, name: 'New lead', color: '#99ccff', type: 0 },
      { id: 60_102, name: 'Negotiation', color: '#ffcc66', type: 0 },
      ...ends,
    ],
  },
];

export interface Field {
  readonly id: number;
  readonly name: string;
  readonly code: string | null;
  readonly type: 'text' | 'numeric' | 'select' | 'multiselect' | 'multitext';
  readonly enums: readonly { readonly id: number; readonly value: string; readonly sort: number }[] | null;
}

const choices = (first: number, ...values: string[]) =>
  values.map((value, index) => ({ id: first + index, value, sort: index * 10 }));

export const LEAD_FIELDS: readonly Field[] = [
  { id: 9001, name: 'City', code: null, type: 'text', enums: null },
  { id: 9002, name: 'Budget', code: null, type: 'numeric', enums: null },
  { id: 9003, name: 'Style', code: null, type: 'select', enums: choices(9301, 'Modern', 'Classic', 'Loft') },
  { id: 9004, name: 'Wishes', code: null, type: 'multiselect', enums: choices(9401, 'Island', 'Built-in', 'Bar') },
];

export const CONTACT_FIELDS: readonly Field[] = [
  {
    id: 9101,
    name: 'Phone',
    code: 'PHONE',
    type: 'multitext',
    enums: choices(9501, 'WORK', 'WORKDD', 'MOB', 'FAX', 'HOME', 'OTHER'),
  },
  { id: 9102, name: 'Email', code: 'EMAIL', type: 'multitext', enums: choices(9601, 'WORK', 'PRIV', 'OTHER') },
  { id: 9103, name: 'Position', code: 'POSITION', type: 'text', enums: null },
  { id: 9104, name: 'Telegram', code: null, type: 'text', enums: null },
  { id: 9105, name: 'WhatsApp', code: null, type: 'text', enums: null },
];

export function statusOf(pipelineId: number, statusId: number) {
  return PIPELINES.find((one) => one.id === pipelineId)?.statuses.find((one) => one.id === statusId);
}
