/** Random hooks: messages of leads and of others in our name, delivery reports. */
import type { RefusalAbout } from '../../channels/driver.ts';
import { makeCompany } from './company.ts';
import {
  ANOTHER_INSTANCE,
  addressOf,
  before,
  type Case,
  IDS_OF_CASE,
  type ItemFields,
  iso,
  joinRows,
  keyOf,
  makeDialogue,
  makeItem,
  makeLead,
  makeMessage,
  NO_WORLD,
  type Row,
  type Rows,
  range,
  type Setting,
  sometime,
} from './facts.ts';

export const ABOUT = [
  'message',
  'recipient',
  'channel',
  'account',
  'passing',
] as const satisfies readonly RefusalAbout[];
const TEXTS = ['Hello', 'Blue, please', 'STOP', 'стоп', 'Не пишите мне', 'Never stop!', '', 'A text', 'A text'];

/** What leads write, and what others write in our name, in a dialogue in any state. */
export function makeInboundCase(setting: Setting): Case {
  const { number, random } = setting;
  const leadId = number * IDS_OF_CASE + 1;
  const company = makeCompany(setting);
  const turn = random.integer(0, 3);
  const due = random.chance(0.3) ? { turn_due_at: sometime(setting) } : {};
  const ours = makeOurs(setting, leadId, turn);
  let index = 0;
  const rounds = range(4).map(() => {
    if (random.chance(0.25)) return { inbox: [makeItemOfOthers(setting, leadId, { index: index++, ours })] };
    return { inbox: range(random.pick([1, 1, 2, 3])).map(() => makeItemOfLead(setting, leadId, index++)) };
  });
  return {
    ...NO_WORLD,
    number,
    rows: joinRows(company, makeLead(setting, company, 1), makeDialogue(setting, leadId, { turn, ...due }), {
      messages: ours,
    }),
    rounds: withoutRepeats(rounds),
    decisions: index,
  };
}

/** Make our messages of any status. */
function makeOurs(setting: Setting, leadId: number, turn: number): Row[] {
  const { random } = setting;
  return range(random.integer(0, 4)).map((index) => {
    const status = random.pick(['scheduled', 'scheduled', 'sent', 'sending', 'unconfirmed', 'delivered']);
    const id = leadId + 10 + index;
    const origin = random.pick([null, null, 'ping', 'first']);
    return makeMessage(setting, leadId, {
      id,
      message: random.pick(['A text', 'Hello', 'Another text']),
      author: random.pick(['bot', 'bot', 'operator']),
      status: status === 'sending' && index > 0 ? 'sent' : status,
      scheduled_at: sometime(setting),
      thread_at: before(setting),
      ext_id: random.chance(0.4) ? `ours ${id}` : null,
      turn: random.pick([null, turn, turn, turn - 1]),
      debounce_guard: random.chance(0.8),
      origin,
      ...(origin === 'ping' ? { ping_step_number: index + 1, follow_up_anchor_id: 0 } : {}),
      ...(status === 'sending' && index === 0 ? { claimed_by: ANOTHER_INSTANCE } : {}),
    });
  });
}

function makeItemOfLead(setting: Setting, leadId: number, index: number): Row {
  const { random, now } = setting;
  const isStranger = random.chance(0.1);
  const ext = random.chance(0.06) ? `twice ${leadId}` : `item ${leadId + 100 + index}`;
  const kind = random.pick(['text', 'text', 'text', 'text', 'image', 'system']);
  return makeItem(
    setting,
    {
      id: leadId + 100 + index,
      kind: 'message',
      ext_id: ext,
      status: 'inbound',
      chat_id: isStranger ? `stranger ${leadId}` : random.chance(0.03) ? null : addressOf(leadId),
      ...(random.chance(0.02) ? { channel_id: null } : {}),
    },
    {
      text: random.pick(TEXTS),
      mediaKind: kind,
      isGroup: random.chance(0.04),
      isSilent: kind === 'system' || random.chance(0.06),
      occurredAt: random.pick([null, iso(now), sometime(setting)]),
      address: random.pick([null, addressOf(leadId)]),
    },
  );
}

/** Make a message that somebody sent in our name: we, a person with the phone, or another program. */
function makeItemOfOthers(
  setting: Setting,
  leadId: number,
  { index, ours }: { index: number; ours: readonly Row[] },
): Row {
  const { random, now } = setting;
  const viaApi: ItemFields = random.pick([{}, { viaApi: false }, { viaApi: false }, { viaApi: true }]);
  const existing = random.chance(0.2) ? ours[0]?.['ext_id'] : null;
  return makeItem(
    setting,
    {
      id: leadId + 100 + index,
      kind: 'message',
      ext_id: typeof existing === 'string' ? existing : `item ${leadId + 100 + index}`,
      status: 'sent',
      chat_id: random.chance(0.1) ? `stranger ${leadId}` : addressOf(leadId),
    },
    {
      text: random.pick(TEXTS),
      mediaKind: random.pick(['text', 'text', 'text', 'image', 'system']),
      isGroup: random.chance(0.04),
      occurredAt: random.pick([null, iso(now), sometime(setting)]),
      address: random.pick([null, addressOf(leadId)]),
      ...viaApi,
    },
  );
}

/** Drop items that the inbox would refuse as repeated. */
function withoutRepeats(rounds: readonly { readonly inbox: readonly Row[] }[]): Rows[] {
  const seen = new Set<string>();
  return rounds.map(({ inbox }) => ({
    inbox: inbox.filter((row) => {
      const key = [row['kind'], row['ext_id'], row['status']].join();
      return !seen.has(key) && seen.add(key);
    }),
  }));
}

/** Reports about messages in every state: of every rank in every order, early, late, and about nothing that is known. */
export function makeReportCase(setting: Setting): Case {
  const { number, random, now } = setting;
  const leadId = number * IDS_OF_CASE + 1;
  const company = makeCompany(setting);
  const messages = range(5).map((index) => {
    const id = leadId + 10 + index;
    const status = random.pick(['sent', 'sent', 'sent', 'delivered', 'read', 'error', 'unconfirmed', 'sending']);
    const isSending = status === 'sending' && index === 0;
    return makeMessage(setting, leadId, {
      id,
      status: isSending ? 'sending' : status === 'sending' ? 'sent' : status,
      ...(isSending ? { claimed_by: ANOTHER_INSTANCE } : {}),
      ext_id: random.chance(0.8) ? `ours ${id}` : null,
      previous_ext_ids: random.chance(0.2) ? [`earlier ${id}`] : [],
      origin: index === 1 ? 'first' : null,
      reason: status === 'error' ? 'It was refused' : null,
      sent_at: status === 'sending' ? null : before(setting),
      thread_at: before(setting),
      unconfirmed_at: status === 'unconfirmed' ? iso(now - random.pick([0, 119_999, 120_000, 120_001])) : null,
    });
  });
  let index = 0;
  const report = (): Row => {
    const about = random.pick([0, 1, 2, 3, 4]);
    const target = leadId + 10 + about;
    const status = random.pick(['sent', 'delivered', 'delivered', 'read', 'error']);
    const ext = random.pick(['ours', 'ours', 'ours', 'ours', 'earlier', 'unknown']);
    const isEcho = random.chance(0.1);
    const key = !isEcho && ext === 'unknown' && random.chance(0.5) ? { key: keyOf(target) } : {};
    const error = { errorCode: 'CODE', errorReason: random.pick(['It was refused', null]) };
    return makeItem(
      setting,
      {
        id: leadId + 100 + index++,
        kind: isEcho ? 'message' : 'status',
        ext_id: `${ext} ${target}`,
        status: isEcho ? 'sent' : status,
        chat_id: isEcho || random.chance(0.2) ? addressOf(leadId) : null,
        ...(isEcho ? {} : { channel_id: random.pick([null, number * IDS_OF_CASE]) }),
      },
      {
        occurredAt: random.pick([null, iso(now), sometime(setting)]),
        ...(isEcho ? { text: 'A text', viaApi: true } : {}),
        ...(status === 'error' && !isEcho ? { ...error, errorAbout: random.pick(ABOUT) } : {}),
        ...key,
      },
    );
  };
  const rounds = withoutRepeats(range(5).map(() => ({ inbox: range(random.pick([1, 2, 3, 4])).map(report) })));
  return {
    ...NO_WORLD,
    number,
    rows: joinRows(company, makeLead(setting, company, 1), makeDialogue(setting, leadId), { messages }),
    rounds,
    decisions: rounds.reduce((sum, { inbox = [] }) => sum + inbox.length, 0),
  };
}
