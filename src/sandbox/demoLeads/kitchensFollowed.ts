/**
 * Leads for kitchens whose conversations continue after the first answer: follow-ups, hand-overs, refusals. All of them
 * are invented, with numbers from unassigned ranges.
 */
import type { DemoLead } from './lead.ts';

const ONE = 'is the kitchen still on your mind? Our designer measures the room for free and prepares two designs.';
const THREE =
  'I do not want to fill your inbox, so this is my last message for now. If the kitchen comes up again, just write here.';

export const KITCHENS_FOLLOWED: readonly DemoLead[] = [
  {
    name: 'Hattie Marzipan',
    messenger: 'whatsapp',
    contact: '+44 7700 900160',
    stage: 'ongoing',
    timezone: 'Europe/London',
    age: 9,
    fields: { city: 'Exeter', budget: 7000, wall_m: 3.6, source: 'website form', request: 'a kitchen with a larder' },
    judged: 'The lead asks about the price and has decided nothing',
    talk: [
      {
        daysAgo: 5,
        at: '11:10',
        script: `
bot: Hello Hattie! This is Vera of Lindgren Studio. You asked about a kitchen with a larder. How long is the wall the kitchen will stand against?
lead: 3.6 metres and the larder goes round the corner
bot: A larder round the corner keeps the wall free for the worktop. Do you have a drawing or a photo of the room?`,
      },
      { followUp: 1, script: `bot: Hattie, ${ONE} When would it suit you?` },
      {
        minutesAgo: 95,
        script: `
lead: Sorry, half-term! What would 3.6 metres cost roughly?
bot: No trouble at all! Three metres start at 4,200 euros, worktop included, and an extra metre is 900 euros, so 3.6 metres come to about 4,740 euros. When would a free measuring suit you?
lead: That is less than I feared. I will ask my other half about next week
bot: Wonderful, just write here when you know which day suits you both.`,
      },
    ],
  },
  {
    name: 'Jasper Windmill',
    messenger: 'telegram',
    contact: '@jasper_windmill',
    stage: 'success',
    timezone: 'Europe/Berlin',
    age: 16,
    fields: { city: 'Hanover', budget: 9000, wall_m: 4.4, source: 'home fair', request: 'a kitchen for a mill' },
    moved: { by: 'classification', reason: 'The lead agrees to a measurement' },
    human: 'qualified',
    operator: 'nora',
    talk: [
      {
        daysAgo: 10,
        at: '10:30',
        script: `
bot: Hello Jasper! This is Vera of Lindgren Studio. You asked about a kitchen for a mill. How long is the wall the kitchen will stand against?
lead: It is round :) about 4.4 m if you roll it out
bot: A round wall is a first for me! Do you have a drawing or a photo of the room?`,
      },
      { followUp: 1, script: `bot: Jasper, ${ONE} When would it suit you?` },
      {
        followUp: 2,
        script: `bot: Jasper, the designer brings samples of all fronts to the measuring, so you can hold them against your round wall. Shall we find a day?`,
      },
      {
        daysAgo: 2,
        at: '12:10',
        script: `
lead: You are persistent. Yes please, let the designer come and measure
bot: Great, let's do it! A colleague will contact you here to settle the details.
operator: Hello Jasper, Nora from the studio. Is Thursday at 16:00 good for you? I would love to see that wall.
lead: Thursday is fine. Mind the sheep`,
      },
    ],
  },
  {
    name: 'Mabel Thimbleby',
    messenger: 'whatsapp',
    contact: '+44 7700 900132',
    stage: 'started',
    timezone: 'Europe/London',
    age: 24,
    fields: { city: 'Whitby', source: 'leaflet', request: 'a small kitchen' },
    talk: [
      {
        daysAgo: 17,
        at: '10:40',
        script: `
bot: Hello Mabel! This is Vera of Lindgren Studio. You asked about a small kitchen. How long is the wall the kitchen will stand against?`,
      },
      { followUp: 1, script: `bot: Mabel, ${ONE} When would it suit you?` },
      {
        followUp: 2,
        script: `bot: Mabel, two designs are drawn within five days after the measuring, and you choose at home. Is there a day that suits you?`,
      },
      { followUp: 3, script: `bot [delivered]: Mabel, ${THREE}` },
    ],
  },
  {
    name: 'Rufus Gingerbread',
    messenger: 'whatsapp',
    contact: '+1 212 555-0133',
    stage: 'started',
    timezone: 'America/New_York',
    age: 7,
    fields: { city: 'New York', budget: 6500, source: 'instagram', request: 'a kitchen with open shelves' },
    talk: [
      {
        daysAgo: 4,
        at: '10:50',
        script: `
bot: Hello Rufus! This is Vera of Lindgren Studio. You asked about a kitchen with open shelves. How long is the wall the kitchen will stand against?`,
      },
      { followUp: 1, script: `bot [sent]: Rufus, ${ONE} When would it suit you?` },
    ],
  },
  {
    name: 'Emil Kartoffelpuff',
    messenger: 'telegram',
    contact: '@emil_kartoffelpuff',
    stage: 'ongoing',
    timezone: 'Europe/Berlin',
    age: 12,
    fields: { city: 'Bonn', budget: 5200, wall_m: 3.1, request: 'a kitchen in ash' },
    judged: 'The lead has answered one question and gone quiet',
    talk: [
      {
        daysAgo: 8,
        at: '14:20',
        script: `
bot: Hello Emil! This is Vera of Lindgren Studio. You asked about a kitchen in ash. How long is the wall the kitchen will stand against?
lead: 3.1 m
bot: A good length for one line without a corner. Do you have a drawing or a photo of the room?`,
      },
      { followUp: 1, script: `bot: Emil, ${ONE} When would it suit you?` },
      {
        followUp: 2,
        script: `bot [delivered]: Emil, the designer brings samples of all fronts to the measuring: ash next to oak, in your own light. Would you like that?`,
      },
    ],
  },
  {
    name: 'Agatha Plumwell',
    messenger: 'whatsapp',
    contact: '+44 7700 900134',
    stage: 'refused',
    timezone: 'Europe/London',
    age: 15,
    fields: { city: 'Leeds', budget: 3500, request: 'new fronts' },
    moved: { by: 'classification', reason: 'The lead keeps the kitchen it has' },
    talk: [
      {
        daysAgo: 8,
        at: '15:05',
        script: `
bot: Hello Agatha! This is Vera of Lindgren Studio. You asked about new fronts. How long is the wall the kitchen will stand against?
lead: Oh, only the fronts. The cabinets are from 1974 and still good
bot: Cabinets of that age were built to last! We make whole kitchens only, so for the fronts alone a joiner near you is the better choice. Shall I tell you what a whole kitchen would cost?`,
      },
      { followUp: 1, script: `bot: Agatha, ${ONE} When would it suit you?` },
      {
        daysAgo: 2,
        at: '10:15',
        script: `
lead: Thank you, but we keep what we have. We do not need a new kitchen
bot: I understand, thank you for telling me. If anything changes, just write here. All the best!`,
      },
    ],
  },
  {
    name: 'Dexter Roundabout',
    messenger: 'telegram',
    contact: '@dexter_roundabout',
    stage: 'ongoing',
    timezone: 'Europe/Berlin',
    age: 8,
    fields: { city: 'Bremen', source: 'website form', request: 'the price of a kitchen' },
    switchedOff: 'lead',
    talk: [
      {
        daysAgo: 6,
        at: '16:10',
        script: `
bot: Hello Dexter! This is Vera of Lindgren Studio. You asked about the price of a kitchen. How long is the wall the kitchen will stand against?
lead: I only clicked through a quiz. Please stop writing to me`,
      },
    ],
  },
  {
    name: 'Winnie Teapotson',
    messenger: 'whatsapp',
    contact: '+44 7700 900135',
    stage: 'failed',
    timezone: 'Europe/London',
    age: 11,
    fields: { city: 'Hull', source: 'leaflet', request: 'a kitchen made to measure' },
    moved: { by: 'classification', reason: 'Wrong number: the person did not ask for a kitchen' },
    talk: [
      {
        daysAgo: 7,
        at: '11:30',
        script: `
bot: Hello Winnie! This is Vera of Lindgren Studio. You asked about a kitchen made to measure. How long is the wall the kitchen will stand against?
lead: Wrong number I am afraid. No Winnie here
bot: Sorry, it seems I have the wrong contact. Have a good day!`,
      },
    ],
  },
  {
    name: 'Ottilie Zuckerwatte',
    messenger: 'whatsapp',
    contact: '+49 30 23125 136',
    stage: 'ongoing',
    timezone: 'Europe/Berlin',
    age: 6,
    fields: {
      city: 'Dresden',
      budget: 14000,
      wall_m: 5.5,
      rooms: ['kitchen', 'utility room'],
      request: 'a kitchen for a farmhouse',
    },
    judged: 'The lead wants to settle the details with a person',
    human: 'nora',
    operator: 'nora',
    talk: [
      {
        daysAgo: 3,
        at: '13:15',
        script: `
bot: Hello Ottilie! This is Vera of Lindgren Studio. You asked about a kitchen for a farmhouse. How long is the wall the kitchen will stand against?
lead: 5.5 metres, with a beam in the middle that must stay
bot: The beam stays, and the cabinets are drawn around it. Do you have a drawing or a photo of the room?
lead: I would like to talk that through with somebody who has built around a beam before
operator: Hello Ottilie, Nora from the studio. We have done three of those; I will send you photos this afternoon.
lead: Lovely, thank you!`,
      },
      {
        minutesAgo: 38,
        script: `
operator: Here is the one that comes closest. The beam became the end of the island.
lead: That is exactly it. Can you come and look before the end of the month?`,
      },
    ],
  },
];
