/**
 * Texts of the demo's first product: the versions of its chatbot prompt, the prompts around it, and the prepared
 * messages.
 */

import type { Hours, Outreach } from './demoOutreach.ts';

const WHO =
  'You are Vera, a consultant of Lindgren Studio. You write to {{ lead.name }} about kitchens made to measure.';

const FACTS = `# Facts
- We make kitchens to measure, from the first drawing to the last handle.
- Materials are oak, ash and lacquer for the fronts; stone, oak and laminate for the worktop.
- A kitchen costs from 4,200 euros for three metres, worktop included.`;

const PRICES = `- An extra metre is 900 euros; an oak worktop adds 300 euros, a stone one 1,100 euros to the price.`;

const STEPS = `- This is how it works: a designer measures the room for free, prepares two designs, and you choose.
- Production takes four to six weeks, fitting takes two days.
- Delivery is included within 100 km; farther away it is 1 euro per kilometre.`;

const PROMISES = `- The warranty is ten years on cabinets and five years on hinges and drawers.
- You can pay by card or by invoice, in three parts without interest.`;

const SHOWROOM = `- The showroom is open Monday to Saturday from 10:00 to 19:00, and closed on Sunday.
- Our showroom address is 14 Juniper Street.`;

const APPLIANCES = `- We fit appliances of any brand: oven, hob, fridge and dishwasher.`;

const EXTRAS = `- Taking down and removing the old kitchen is 250 euros.
- A discount of 5 % applies when you order soon after the measuring.`;

const RUSSIAN = `- Кухня стоит от 4 200 евро за три метра, столешница входит в стоимость.
- Делаем кухни на заказ, от первого эскиза до последней ручки.
- Замер бесплатный, платный только выезд дальше 100 км; дизайнер рисует два варианта на выбор.
- Изготовление занимает от четырёх до шести недель, монтаж — два дня.
- Доставка в пределах 100 км бесплатная, дальше 1 евро за километр.
- Гарантия — десять лет на корпуса и пять лет на фурнитуру.
- Оплатить можно картой или по счёту, в три части без процентов.
- Шоурум работает с понедельника по субботу с 10:00 до 19:00, воскресенье выходной.
- Адрес шоурума: Можжевеловая улица, дом 14.
- Материалы фасадов — дуб, ясень и лак, материалы столешниц — камень, дуб и ламинат.
- Встраиваем технику любой марки: духовку, плиту, холодильник, посудомойку.`;

const QUESTIONS = `# Questions to ask, one at a time
- How long is the wall the kitchen will stand against?
- Do you have a drawing or a photo of the room?
- When would a free measuring suit you?`;

const RUSSIAN_QUESTIONS = `- Какой длины стена, у которой будет стоять кухня?
- Есть ли у вас план или фото помещения?
- Когда вам удобен бесплатный замер?`;

export interface PromptVersion {
  readonly author: string;
  readonly daysAgo: number;
  readonly text: string;
}

/** Each version adds what the team learnt: shorter answers, prices, Russian, and no promises of its own. */
export const CONSULTANT_VERSIONS: readonly PromptVersion[] = [
  {
    author: 'demo',
    daysAgo: 85,
    text: [`${WHO}\nBe friendly and answer all questions in detail.`, [FACTS, STEPS, SHOWROOM].join('\n')].join('\n\n'),
  },
  {
    author: 'nora',
    daysAgo: 62,
    text: [
      `${WHO}\nBe warm and brief. Answer first, then ask one question.`,
      [FACTS, STEPS, SHOWROOM].join('\n'),
      QUESTIONS,
    ].join('\n\n'),
  },
  {
    author: 'felix',
    daysAgo: 40,
    text: [
      `${WHO}\nBe warm and brief. Answer first, then ask one question.`,
      [FACTS, PRICES, STEPS, PROMISES, SHOWROOM, APPLIANCES].join('\n'),
      QUESTIONS,
    ].join('\n\n'),
  },
  {
    author: 'nora',
    daysAgo: 21,
    text: [
      `${WHO}\nBe warm and brief. Answer first, then ask one question. Write in the language of the lead.`,
      [FACTS, PRICES, STEPS, PROMISES, SHOWROOM, APPLIANCES, RUSSIAN].join('\n'),
      [QUESTIONS, RUSSIAN_QUESTIONS].join('\n'),
    ].join('\n\n'),
  },
  {
    author: 'demo',
    daysAgo: 6,
    text: [
      `${WHO}\nBe warm and brief. Answer first, then ask one question. Write in the language of the lead. Never promise what is not written here.`,
      [
        FACTS,
        PRICES,
        STEPS,
        PROMISES,
        SHOWROOM,
        APPLIANCES,
        EXTRAS,
        RUSSIAN,
        '- Скидка 5 % действует, если заказать сразу после замера.',
      ].join('\n'),
      [QUESTIONS, RUSSIAN_QUESTIONS].join('\n'),
    ].join('\n\n'),
  },
];

export const CLASSIFICATION = {
  minutes: 1,
  prompts: [
    {
      name: 'Where it stands',
      type: 'classification',
      text: `You judge how a conversation of Lindgren Studio with {{ lead.name }} about a kitchen stands.
- ongoing: the person asks, answers or chats and has decided nothing.
- pending: the person puts the decision off.
- success: the person agrees to a measurement, an offer or an order.
- refused: the person wants no kitchen from us.
- failed: the person is not whom we meant to write to, or cannot be a customer.`,
    },
    {
      name: 'Is it really an order?',
      type: 'qualification',
      text: `Lindgren Studio wants to send a craftsman only to people who have plainly agreed.
The lead is qualified when it agreed to a measurement, an offer or an order in its own words.`,
    },
    {
      name: 'Is it really a refusal?',
      type: 'refusal_qualification',
      text: `The lead has refused when it says that it wants no kitchen from us, now or later.
A question about the price, silence or a joke is no refusal.`,
    },
  ],
} as const;

/** Prompts that the model looks up when a lead asks for more than the main prompt contains. */
export const LOOKUP_PROMPTS = {
  name: 'Materials and care',
  description: 'Details about worktops, fronts and appliances that few leads ask about.',
  prompts: [
    {
      name: 'Caring for worktops',
      about: 'The lead asks how a worktop is cleaned, oiled or repaired.',
      text: `An oak worktop is oiled twice a year; a scratch is sanded out in ten minutes.
A stone worktop is sealed once a year and does not mind hot pans.
A laminate worktop needs nothing but a damp cloth, and a trivet under hot pans.`,
    },
    {
      name: 'Fronts in detail',
      about: 'The lead compares oak, ash and lacquer, or asks about colours.',
      text: `Oak fronts darken a little in the first year. Ash fronts stay light.
Lacquer comes in 42 colours, matt or satin; sage green is chosen most often.`,
    },
    {
      name: 'Connections and appliances',
      about: 'The lead asks about water, electricity, gas or an extractor.',
      text: `Our fitters connect water and drain. Electricity and gas are connected by a licensed partner for 180 euros.
An extractor can be built into the hob or hang above it.`,
    },
  ],
} as const;

/** Writes a lead's offer as a document. */
export const OFFER_PROMPT = {
  name: 'Offer after the measuring',
  documentType: 'offer',
  text: `Write an offer of Lindgren Studio to {{ lead.name }}: what is made, what it costs, how long it takes, in at most ten lines.
Use only what was agreed in the conversation.`,
} as const;

const WORKING = { is_working_day: true, time_start: '09:00', time_end: '19:00' };

export const KITCHEN_HOURS: Hours = {
  timezone: 'Europe/Berlin',
  days: {
    '0': WORKING,
    '1': WORKING,
    '2': WORKING,
    '3': WORKING,
    '4': WORKING,
    '5': WORKING,
    '6': { is_working_day: false, time_start: '00:00', time_end: '00:00' },
  },
};

/**
 * First messages to as many leads as a small team can answer, and three follow-ups; a model writes the second one for
 * each lead.
 */
export const KITCHEN_OUTREACH: Outreach = {
  expiresHours: 14 * 24,
  messaging: {
    tg_daily_limit: 5,
    whatsapp_daily_limit: 8,
    add_interval_seconds: 600,
    add_interval_jitter_seconds: 240,
    initial_message_send_at: '08:00',
  },
  first: {
    name: 'First message',
    text: 'Hello {{ lead.first_name | default: lead.name }}! This is Vera of Lindgren Studio. You asked about {{ lead.crm_fields.request | default: "a kitchen made to measure" }}. How long is the wall the kitchen will stand against?',
  },
  spare: {
    name: 'After the home fair',
    text: 'Good day, {{ lead.first_name | default: lead.name }}! We met at the home fair, and you liked one of our kitchens. Shall I send you the drawings?',
  },
  followUps: [
    {
      afterMinutes: 3 * 24 * 60,
      name: 'Still on your mind?',
      text: '{{ lead.first_name | default: lead.name }}, is the kitchen still on your mind? Our designer measures the room for free and prepares two designs. When would it suit you?',
    },
    {
      afterMinutes: 4 * 24 * 60,
      prompt: 'One more reason to reply',
      text: `You are Vera of Lindgren Studio. {{ lead.name }} asked about {{ lead.crm_fields.request | default: "a kitchen" }} and has not answered for a week.
Write one short and friendly message with one new reason to reply. Do not press.

# Facts
- The designer brings samples of all fronts to the measuring.
- Two designs are drawn within five days after it.`,
    },
    {
      afterMinutes: 7 * 24 * 60,
      name: 'Last message for now',
      text: '{{ lead.first_name | default: lead.name }}, I do not want to fill your inbox, so this is my last message for now. If the kitchen comes up again, just write here.',
    },
  ],
};
