import { normaliseAddress } from '../leads/address.ts';
import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { readClock } from '../platform/installationContract.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { boardRoutes } from './boardRoutes.ts';
import { callEmulators } from './callEmulators.ts';
import {
  type Fault,
  listFaults,
  listKeys,
  listPhones,
  moveClock,
  type Phone,
  type PhoneMessage,
  readPhone,
  setFault,
  writeAsLead,
  writeFromOurPhone,
} from './contract.ts';
import { moveDomainClock, readDomainClock } from './domainClock.ts';
import { faultSchema } from './emulators/contract.ts';
import type { ControlClient } from './emulators/control.ts';
import { faultSentences } from './emulators/faultKinds.ts';
import { historyRoute } from './history/route.ts';
import { SANDBOX_KEYS } from './sandboxKeys.ts';
import { sessionRoutes } from './sessionRoutes.ts';

const PHONE = `select c.id as contact_id, l.id as lead_id, l.name as lead_name, l.stage, p.id as product_id, p.name as product_name,
       c.contact, c.contact_type, d.id as dialogue_id,
       coalesce(h.vendor, (select o.vendor from product_channels l join channels o on o.id = l.channel_id
                            where l.product_id = p.id and o.channel_type = c.contact_type
                            order by l.inbound_enabled desc, o.id limit 1)) as vendor
  from contacts c join leads l on l.id = c.lead_id join products p on p.id = c.product_id
  left join lateral (select id, channel_id, last_msg_created_at from dialogues where contact_id = c.id
                      order by last_msg_created_at desc nulls last limit 1) d on true
  left join channels h on h.id = d.channel_id`;

/** Faults that the page's switches turn on with a delay that people notice. */
const DELAYS = new Set(['wazzup24.delay', 'chatpush.delay', 'hooks.delay', 'amocrm.delay']);

export function sandboxRoutes(context: AppContext, control: ControlClient): Route[] {
  return [
    ...phoneRoutes(context, control),
    ...faultRoutes(control),
    route(listKeys, async () => ok(200, { items: [...SANDBOX_KEYS] })),
    ...boardRoutes(control),
    ...sessionRoutes(control),
    historyRoute(context),
    route(readClock, async () => ok(200, await readDomainClock(context))),
    route(moveClock, async ({ body }) => ok(200, await moveDomainClock(context, control, body.seconds))),
  ];
}

function phoneRoutes({ pool }: AppContext, control: ControlClient): Route[] {
  const addressOf = (phone: Phone): string => normaliseAddress(phone.contact_type, phone.contact) ?? phone.contact;
  return [
    route(listPhones, async ({ query }) => {
      const { rows } = await pool.query<Phone>(
        `${PHONE} where ($1::text is null or l.name ilike '%' || $1 || '%' or c.contact ilike '%' || $1 || '%')
          order by d.last_msg_created_at desc nulls last, c.id limit 100`,
        [query.search ?? null],
      );
      return ok(200, { items: rows });
    }),
    route(readPhone, async ({ params }) => {
      const phone = await findPhone(pool, params.contact_id);
      const { messages } = await control.thread(addressOf(phone));
      const visible = messages
        .filter((one) => !one.deleted)
        .map(({ messageId: id, author, text = '', type: kind, at, status }): PhoneMessage => {
          return { id, from: author === 'lead' ? 'lead' : 'us', text, kind, at: new Date(at).toISOString(), status };
        });
      return ok(200, { phone, items: [...(await earlierMessages(pool, phone, messages)), ...visible] });
    }),
    route(writeAsLead, async ({ params, body }) => {
      const phone = await findPhone(pool, params.contact_id);
      const written = await callEmulators(
        control.write(addressOf(phone), {
          channelId: await channelRef(pool, phone),
          name: phone.lead_name,
          type: body.kind,
          ...(body.text === '' ? {} : { text: body.text }),
          // The address is empty: nothing fetches it, and the bot only learns the kind.
          ...(body.kind === 'text' ? {} : { contentUri: `https://phone.invalid/${body.kind}` }),
        }),
      );
      return ok(200, { id: written.messageIds[0] ?? '' });
    }),
    route(writeFromOurPhone, async ({ params, body: { text } }) => {
      const phone = await findPhone(pool, params.contact_id);
      const channelId = await channelRef(pool, phone);
      const typed = control.type(addressOf(phone), { channelId, text });
      return ok(200, { id: (await callEmulators(typed)).messageIds[0] ?? '' });
    }),
  ];
}

async function findPhone(pool: AppContext['pool'], contactId: number): Promise<Phone> {
  const { rows } = await pool.query<Phone>(`${PHONE} where c.id = $1`, [contactId]);
  const [found] = rows;
  if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'phone' });
  return found;
}

/** Return the vendor's channel on which the lead and we talk: the dialogue's, otherwise the linked one. */
async function channelRef(pool: AppContext['pool'], phone: Phone): Promise<string> {
  const { rows } = await pool.query<{ vendor_ref: string }>(
    `select h.vendor_ref from channels h
      left join dialogues d on d.channel_id = h.id and d.id = $1
      left join product_channels l on l.channel_id = h.id and l.product_id = $2
     where h.channel_type = $3 and (d.id is not null or l.product_id is not null)
     order by (d.id is not null) desc, l.inbound_enabled desc, h.id limit 1`,
    [phone.dialogue_id, phone.product_id, phone.contact_type],
  );
  const [found] = rows;
  if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'channel for this phone' });
  return found.vendor_ref;
}

/** Return the messages from before the emulators' journal began, which are only in the database. */
async function earlierMessages(
  pool: AppContext['pool'],
  phone: Phone,
  messages: readonly { readonly messageId: string; readonly at: string }[],
): Promise<PhoneMessage[]> {
  const { rows } = await pool.query<PhoneMessage>(
    `select m.id::text as id, case m.side when 'user' then 'lead' else 'us' end as from, case m.message when '[' || m.kind || ']' then '' else m.message end as text, m.kind, m.thread_at as at, m.status
       from messages m where m.contact_id = $1 and m.status in ('inbound', 'sent', 'delivered', 'read')
        and not coalesce(m.ext_id = any($2), false) order by m.thread_at, m.id`,
    [phone.contact_id, messages.map(({ messageId }) => messageId)],
  );
  const first = messages[0]?.at ?? '9999';
  return rows.filter(({ at }) => at < first);
}

function faultRoutes(control: ControlClient): Route[] {
  async function allFaults(): Promise<{ items: Fault[] }> {
    const on = new Set((await control.faults()).map((one) => one.kind));
    return {
      items: faultSentences.map(([id, title]) => ({ id, title, vendor: id.split('.')[0] ?? '', on: on.has(id) })),
    };
  }
  return [
    route(listFaults, async () => ok(200, await allFaults())),
    route(setFault, async ({ params, body }) => {
      const ms = DELAYS.has(params.id) ? { ms: 4000 } : {};
      const parsedFault = faultSchema.safeParse({ kind: params.id, ...ms });
      if (!parsedFault.success) throw refuse(commonRefusals, 'not_found', { noun: 'fault' });
      const others = (await control.faults()).filter((one) => one.kind !== parsedFault.data.kind);
      await control.setFaults(body.on ? [...others, parsedFault.data] : others);
      return ok(200, await allFaults());
    }),
  ];
}
