/** Random hooks: messages of leads and of others in our name, delivery reports. */
import { addCompany } from './company.ts';
import { ANOTHER_INSTANCE, addressOf, type Case, CaseMaker, keyOf, type Row, range, type Setting } from './facts.ts';

const TEXTS = ['Hello', 'Blue, please', 'STOP', 'стоп', 'Не пишите мне', 'Never stop!', '', 'A text', 'A text'];

/** What leads write, and what others write in our name, in a dialogue in any state. */
export function makeInboundCase(setting: Setting): Case {
  const make = new CaseMaker(setting);
  const { random } = make;
  addCompany(make);
  const leadId = make.addLead(1);
  const turn = random.integer(0, 3);
  make.addDialogue(leadId, { turn, ...make.sometimes(0.3, { turn_due_at: make.sometime() }) });
  addOurs(make, leadId, turn);
  let index = 0;
  const rounds = range(4).map(() => {
    if (random.chance(0.25)) return [makeItemOfOthers(make, leadId, index++)];
    return range(random.pick([1, 1, 2, 3])).map(() => makeItemOfLead(make, leadId, index++));
  });
  return make.finish({ rounds: withoutRepeats(rounds), decisions: index });
}

/** Add our messages of any status. */
function addOurs(make: CaseMaker, leadId: number, turn: number): void {
  const { random } = make;
  for (const index of range(random.integer(0, 4))) {
    const status = random.pick(['scheduled', 'scheduled', 'sent', 'sending', 'unconfirmed', 'delivered']);
    const id = leadId + 10 + index;
    const origin = random.pick([null, null, 'ping', 'first']);
    make.addMessage(leadId, {
      id,
      message: random.pick(['A text', 'Hello', 'Another text']),
      author: random.pick(['bot', 'bot', 'operator']),
      ...sendingOnce(status, index),
      scheduled_at: make.sometime(),
      thread_at: make.before(),
      ext_id: random.chance(0.4) ? `ours ${id}` : null,
      turn: random.pick([null, turn, turn, turn - 1]),
      debounce_guard: random.chance(0.8),
      origin,
      ...(origin === 'ping' ? { ping_step_number: index + 1, follow_up_anchor_id: 0 } : {}),
    });
  }
}

/** Of a dialogue's messages only the first may be with the vendor, by another instance. */
const sendingOnce = (status: string, index: number): Row =>
  status !== 'sending' ? { status } : index > 0 ? { status: 'sent' } : { status, claimed_by: ANOTHER_INSTANCE };

function makeItemOfLead(make: CaseMaker, leadId: number, index: number): Row {
  const { random } = make;
  const chat = random.chance(0.1) ? `stranger ${leadId}` : random.chance(0.03) ? null : addressOf(leadId);
  const ext = random.chance(0.06) ? `twice ${leadId}` : `item ${leadId + 100 + index}`;
  const kind = random.chance(0.06) ? 'unsupported' : random.pick(['text', 'text', 'text', 'text', 'image', 'system']);
  const row = { kind: 'message', ext_id: ext, status: 'inbound', chat_id: chat };
  return make.makeItem(
    index,
    { ...row, ...make.sometimes(0.02, { channel_id: null }) },
    {
      text: random.pick(TEXTS),
      mediaKind: kind,
      notPerson: random.chance(0.04) ? 'group' : null,
      ...isSilentIn1(kind),
      occurredAt: make.pickOccurred(),
      address: random.pick([null, addressOf(leadId)]),
    },
  );
}

/** What 1.0.0 read of a kind; later versions know it by the kind. */
const isSilentIn1 = (kind: string): object => ({ isSilent: kind === 'system' || kind === 'unsupported' });

/** Make a message that somebody sent in our name: we, a person with the phone, or another program. */
function makeItemOfOthers(make: CaseMaker, leadId: number, index: number): Row {
  const { random } = make;
  const existing = random.chance(0.2) ? make.rows['messages']?.[0]?.['ext_id'] : null;
  const ext = typeof existing === 'string' ? existing : `item ${leadId + 100 + index}`;
  const chat = random.chance(0.1) ? `stranger ${leadId}` : addressOf(leadId);
  return make.makeItem(
    index,
    { kind: 'message', ext_id: ext, status: 'sent', chat_id: chat },
    {
      text: random.pick(TEXTS),
      mediaKind: random.pick(['text', 'text', 'text', 'image', 'system']),
      notPerson: random.chance(0.04) ? 'group' : null,
      occurredAt: make.pickOccurred(),
      address: random.pick([null, addressOf(leadId)]),
      ...random.pick([{}, { viaApi: false }, { viaApi: false }, { viaApi: true }]),
    },
  );
}

/** Return rounds without the items that the inbox would refuse as repeated. */
function withoutRepeats(rounds: readonly (readonly Row[])[]): { readonly inbox: readonly Row[] }[] {
  const seen = new Set<string>();
  const isNew = ({ kind, ext_id: ext, status }: Row): boolean => {
    const key = [kind, ext, status].join();
    return !seen.has(key) && seen.add(key).size > 0;
  };
  return rounds.map((round) => ({ inbox: round.filter(isNew) }));
}

/** Reports about messages in every state: of every rank in every order, early, late, and about nothing that is known. */
export function makeReportCase(setting: Setting): Case {
  const make = new CaseMaker(setting);
  const { random } = make;
  addCompany(make);
  const leadId = make.addLead(1);
  make.addDialogue(leadId);
  for (const index of range(5)) {
    const id = leadId + 10 + index;
    const status = random.pick(['sent', 'sent', 'sent', 'delivered', 'read', 'error', 'unconfirmed', 'sending']);
    make.addMessage(leadId, {
      id,
      ...sendingOnce(status, index),
      ext_id: random.chance(0.8) ? `ours ${id}` : null,
      previous_ext_ids: random.chance(0.2) ? [`earlier ${id}`] : [],
      origin: index === 1 ? 'first' : null,
      reason: status === 'error' ? 'It was refused' : null,
      sent_at: status === 'sending' ? null : make.before(),
      thread_at: make.before(),
      unconfirmed_at: status === 'unconfirmed' ? make.ago(0, 119_999, 120_000, 120_001) : null,
    });
  }
  let index = 0;
  const rounds = withoutRepeats(
    range(5).map(() => range(random.pick([1, 2, 3, 4])).map(() => makeReport(make, leadId, index++))),
  );
  return make.finish({ rounds, decisions: rounds.reduce((sum, { inbox }) => sum + inbox.length, 0) });
}

function makeReport(make: CaseMaker, leadId: number, index: number): Row {
  const { random } = make;
  const target = leadId + 10 + random.integer(0, 4);
  const status = random.pick(['sent', 'delivered', 'delivered', 'read', 'error']);
  const ext = random.pick(['ours', 'ours', 'ours', 'ours', 'earlier', 'unknown']);
  const reason = random.pick(['It was refused', null]);
  const error = { errorCode: 'CODE', errorReason: reason, errorAbout: make.pickAbout() };
  const occurred = { occurredAt: make.pickOccurred(), ...(status === 'error' ? error : {}) };
  const key = ext === 'unknown' && random.chance(0.5) ? { key: keyOf(target) } : {};
  const chat = random.chance(0.2) ? addressOf(leadId) : null;
  const row = { kind: 'status', ext_id: `${ext} ${target}`, status, chat_id: chat };
  if (random.chance(0.9))
    return make.makeItem(index, { ...row, ...make.sometimes(0.5, { channel_id: null }) }, { ...occurred, ...key });
  const echo = { ...row, kind: 'message', status: 'sent', chat_id: addressOf(leadId) };
  return make.makeItem(index, echo, { occurredAt: occurred.occurredAt, text: 'A text', viaApi: true });
}
