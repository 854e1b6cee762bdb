/** Mutations of the checks on the use of channels and vendor accounts. */
import type { Mutation } from './core.ts';

const OWNERS = 'src/channels/ownership.test.ts';
const TAKEOVER = 'src/channels/companyIsolation.test.ts';

export const OWNERS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'A shared channel is shared with everybody',
    file: 'src/channels/scope.ts',
    from: 's.channel_id = t.id and s.company_id = any($))',
    to: 's.channel_id = t.id and (s.company_id = any($) or true))',
    test: OWNERS,
    testName: 'answers a member 404 unless the company may use the channel, and changes nothing',
  },
  {
    name: 'A channel is linked for whichever company',
    file: 'src/channels/ownership.ts',
    from: 'if (channel.companies.includes(company)) return company;',
    to: 'if (company > 0) return company;',
    test: OWNERS,
    testName: 'gives members of both companies no way to use it for a company it is not shared with',
  },
  {
    name: 'A channel is not locked while it is linked',
    file: 'src/channels/store/ownership.ts',
    from: 'from channels where id = ${id} for no key update',
    to: 'from channels where id = ${id}',
    test: TAKEOVER,
    testName: 'goes to the first company when admins link it for two at once',
  },
  {
    name: 'The database takes a link of any company',
    file: 'migrations/0033_owners.sql',
    from: 'add foreign key (channel_id, company_id) references channel_companies (channel_id, company_id);',
    to: 'add check (company_id > 0);',
    test: 'src/platform/postgres/upgrade.test.ts',
    testName:
      'assigns channels of 1.0.0 to the company of their links and dialogues, and asks an admin where they disagree',
  },
  {
    name: 'A channel that several companies use goes to whoever links it next',
    file: 'src/channels/ownership.ts',
    from: 'if (others.some((one) => one !== company))',
    to: 'if (others.length < 0)',
    test: OWNERS,
    testName: 'has no owner until an admin chooses: linked companies keep using it, no other sees it',
  },
  {
    name: 'A key is used for any company',
    file: 'src/channels/ownership.ts',
    from: "if (account.company_id !== null) throw refuse(channelRefusals, 'account.not_shared');",
    to: "if (account.id < 0) throw refuse(channelRefusals, 'account.not_shared');",
    test: OWNERS,
    testName: 'refuses the key of an account that is not shared with the company',
  },
  {
    name: 'Members see who owns a channel that is shared with them',
    file: 'src/channels/routes.ts',
    from: 'return { ...visible, company_id: null, company_name: null, shared_company_ids };',
    to: 'return { ...visible, shared_company_ids };',
    test: OWNERS,
    testName: 'lets the other company use a shared channel until it is unshared, which its links prevent',
  },
  {
    name: 'A foreign dialogue that holds an address is named',
    file: 'src/conversations/openDialogue.ts',
    from: '(await isInCompanyOfProduct(tx, dialogueId, productId))',
    to: '(await isInCompanyOfProduct(tx, dialogueId, productId)) || dialogueId > 0',
    test: OWNERS,
    testName: 'does not reveal whose dialogue has an address',
  },
  {
    name: 'A dialogue is begun on a channel that its company may not use',
    file: 'src/conversations/routes.ts',
    from: 'if (!(await canProductUse(tx, body.product_id, body.channel_id)))',
    to: 'if (body.channel_id < 0)',
    test: OWNERS,
    testName: 'gives members of both companies no way to use it for a company it is not shared with',
  },
  {
    name: 'Messages are submitted for the account of others',
    file: 'src/inbox/store/webhookAccess.ts',
    from: '(a.company_id is null\n',
    to: '(true\n',
    test: OWNERS,
    testName: 'refuses messages where the account, a channel or a dialogue on it belongs to others',
  },
  {
    name: 'Messages are submitted beside channels of others',
    file: 'src/inbox/store/webhookAccess.ts',
    from: 't.account_id = a.id and not exists (',
    to: 't.account_id < 0 and not exists (',
    test: OWNERS,
    testName: 'refuses messages where the account, a channel or a dialogue on it belongs to others',
  },
  {
    name: 'Messages are submitted into dialogues of others',
    file: 'src/inbox/store/webhookAccess.ts',
    from: 'where p.company_id <> all(',
    to: 'where p.id < 0 and p.company_id <> all(',
    test: OWNERS,
    testName: 'refuses messages where the account, a channel or a dialogue on it belongs to others',
  },
  {
    name: 'Submitted messages are not in the audit log',
    file: 'src/inbox/submitWebhook.ts',
    from: "action: 'webhook submitted',",
    to: "action: 'received',",
    test: OWNERS,
    testName: 'accepts messages where the operator can access the whole account, and records each call',
  },
];
