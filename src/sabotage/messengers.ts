/** Sabotages of what guards ChatPush, and of first messages found later to be for nobody. */
import type { Sabotage } from './list.ts';

export const OF_MESSENGERS: readonly Sabotage[] = [
  {
    name: 'ChatPush is believed to know a key again',
    file: 'src/channels/chatpush/driver.ts',
    from: 'keyWindowMs: 0,',
    to: 'keyWindowMs: 60_000,',
    test: 'src/dialogues/chatpush.test.ts',
    named: 'it stays unconfirmed until an operator settles it',
  },
  {
    name: 'Another program with the ChatPush account counts as a human',
    file: 'src/dialogues/echo.ts',
    from: "item.viaApi === true ? 'other' : 'phone'",
    to: "item.text === '' ? 'other' : 'phone'",
    test: 'src/dialogues/chatpush.test.ts',
    named: 'another program with the same account',
  },
  {
    name: 'A callback that names our key settles nothing',
    file: 'src/dialogues/statuses.ts',
    from: 'item.key === undefined ? null',
    to: 'item.key !== undefined ? null',
    test: 'src/dialogues/chatpush.test.ts',
    named: 'until the callback tells our key',
  },
  {
    name: "A Telegram message's number is taken for a delivery",
    file: 'src/channels/chatpush/hooks.ts',
    from: 'extId: `${one.chat_id}/${one.message.id}`,',
    to: 'extId: String(one.message.id),',
    test: 'src/channels/chatpush/hooks.test.ts',
    named: 'is read',
  },
  {
    name: "ChatPush's minute counts from when a send began",
    file: 'src/dialogues/deliver.ts',
    from: 'await countTurnFromNow(ground, tx, around);\n    logAfter(',
    to: 'logAfter(',
    test: 'src/outreach/chatpushPace.test.ts',
    named: 'the minute counts from when the vendor had the last one',
  },
  {
    name: 'A first message for nobody keeps its slot of the day',
    file: 'src/dialogues/statuses.ts',
    from: "item.errorAbout === 'recipient' && message.origin === 'first'",
    to: "item.errorAbout === 'account' && message.origin === 'first'",
    test: 'src/outreach/foundNobody.test.ts',
    named: 'it gives its slot back',
  },
  {
    name: 'A lead that somebody has moved is moved back',
    file: 'src/leads/changeStage.ts',
    from: 'if (last?.by !== by || last.to !== lead.stage) return;',
    to: 'if (!last) return;',
    test: 'src/outreach/foundNobody.test.ts',
    named: 'leaves a lead where somebody has moved it since',
  },
];
