/** The demo company's content: its products with their prompts and leads, and its channels. All of it is invented. */
import { toWeek } from '../outreach/workingHours.ts';
import {
  CLASSIFICATION,
  CONSULTANT_VERSIONS,
  KITCHEN_HOURS,
  KITCHEN_OUTREACH,
  LOOKUP_PROMPTS,
  OFFER_PROMPT,
  type PromptVersion,
} from './demoKitchens.ts';
import { KITCHENS } from './demoLeads/kitchens.ts';
import { KITCHENS_EAST } from './demoLeads/kitchensEast.ts';
import { KITCHENS_FOLLOWED } from './demoLeads/kitchensFollowed.ts';
import { KITCHENS_WAITING } from './demoLeads/kitchensWaiting.ts';
import type { DemoLead } from './demoLeads/lead.ts';
import { OFFICES } from './demoLeads/offices.ts';
import { AWAKE, type SendingHours } from './demoLeads/timeline.ts';
import { WARDROBES } from './demoLeads/wardrobes.ts';
import { type Hours, OFFICE_HOURS, type Outreach, WARDROBE_OUTREACH } from './demoOutreach.ts';

export const COMPANY = 'Lindgren Studio';

/** Customer number of the demo's ChatPush account. */
export const CHATPUSH_CUSTOMER = 10_001;

export const CHANNELS = [
  {
    vendor: 'wazzup24',
    ref: '5f0c1a52-0d3e-4b7e-9a61-2f6f3c1d7a01',
    name: 'WhatsApp, main number',
    number: '79990001001',
    type: 'whatsapp',
    transport: 'whatsapp',
  },
  {
    vendor: 'wazzup24',
    ref: '5f0c1a52-0d3e-4b7e-9a61-2f6f3c1d7a02',
    name: 'Telegram, sales',
    number: '79990001002',
    type: 'telegram',
    transport: 'tgapi',
  },
  {
    vendor: 'chatpush',
    ref: `${CHATPUSH_CUSTOMER}:whatsapp`,
    name: 'WhatsApp, offices',
    number: '79990001003',
    type: 'whatsapp',
    transport: 'whatsapp',
  },
  {
    vendor: 'chatpush',
    ref: `${CHATPUSH_CUSTOMER}:tdlib`,
    name: 'Telegram, offices',
    number: '79990001003',
    type: 'telegram',
    transport: 'tgapi',
  },
] as const;

export interface DemoProduct {
  readonly name: string;
  readonly promptName: string;
  readonly prompt: string;
  /** History of the prompt, oldest first; one version if absent. */
  readonly versions?: readonly PromptVersion[];
  readonly hours: Hours;
  readonly outreach?: Outreach;
  /** Prompts that the model looks up. */
  readonly lookupPrompts?: {
    readonly name: string;
    readonly description: string;
    readonly prompts: readonly { readonly name: string; readonly about: string; readonly text: string }[];
  };
  /** A document that a model writes. */
  readonly offerPrompt?: { readonly name: string; readonly documentType: string; readonly text: string };
  readonly leads: readonly DemoLead[];
  /** Vendor of its channels; Wazzup24 if absent. */
  readonly vendor?: 'chatpush';
  /** Prompts that classify its conversations, and the minutes to wait before. */
  readonly classification?: {
    readonly minutes: number;
    readonly prompts: readonly {
      readonly name: string;
      readonly type: 'classification' | 'qualification' | 'refusal_qualification';
      readonly text: string;
    }[];
  };
}

/** Prompts in short sentences of one fact each: the sandbox's model answers with whole sentences of them. */
export const PRODUCTS: readonly DemoProduct[] = [
  {
    name: 'Kitchens to measure',
    promptName: 'Kitchen consultant',
    leads: [...KITCHENS_EAST, ...KITCHENS, ...KITCHENS_FOLLOWED, ...KITCHENS_WAITING],
    classification: CLASSIFICATION,
    hours: KITCHEN_HOURS,
    outreach: KITCHEN_OUTREACH,
    lookupPrompts: LOOKUP_PROMPTS,
    offerPrompt: OFFER_PROMPT,
    versions: CONSULTANT_VERSIONS,
    prompt: CONSULTANT_VERSIONS.at(-1)?.text ?? '',
  },
  {
    name: 'Wardrobes',
    promptName: 'Wardrobe consultant',
    leads: WARDROBES,
    hours: OFFICE_HOURS,
    outreach: WARDROBE_OUTREACH,
    prompt: `You are Oskar, a consultant of Lindgren Studio. You write to {{ lead.name }} about built-in wardrobes.
Be friendly and brief. Answer first, then ask one question.

# Facts
- We build wardrobes into niches, under stairs and under sloping roofs.
- A wardrobe costs from 900 euros per metre with sliding doors.
- Hinged doors cost the same; a mirror door adds 120 euros to the price.
- Measuring is free within 50 km.
- Production takes three weeks, fitting takes one day.
- Delivery is included in the city.
- The warranty is seven years, on the sliding rails ten.
- You can pay by card, half with the order and half after the fitting.
- Our hours: we are open Monday to Friday from 9:00 to 18:00.
- The workshop address is 3 Alder Lane.
- Inside there are drawers, shelves, rails and a light with a sensor.
- Doors come in oak, lacquer and mirror.
- Ceilings up to 3.2 metres high are no problem.
- A discount of 7 % applies to the second wardrobe.

# Questions to ask, one at a time
- How wide and how high is the niche?
- Which doors do you like: mirror, oak or lacquer?
- Shall we come and measure it this week?`,
  },
  {
    name: 'Office furniture',
    promptName: 'Office consultant',
    leads: OFFICES,
    hours: OFFICE_HOURS,
    vendor: 'chatpush',
    prompt: `You are Mila, a consultant of Lindgren Studio. You write to {{ lead.name }} about furniture for companies.
Be brief and exact. Answer first, then ask one question.

# Facts
- We furnish workplaces, meeting rooms and kitchens of companies.
- A workplace with a height-adjustable desk, a chair and a cabinet costs from 780 euros.
- A desk alone costs 420 euros, a chair alone 260 euros.
- A discount of 12 % applies from ten workplaces, 18 % from fifty.
- Delivery takes two weeks; assembly is included.
- The warranty is five years, on the motors of the desks ten.
- Companies pay by invoice within 30 days.
- Renting is possible for 24 months at 29 euros a month per workplace.
- Our hours: you can call and write to us Monday to Friday from 9:00 to 18:00.
- The showroom address is 14 Juniper Street.
- A planner draws the floor plan at no charge.
- The colours of the chairs are black, grey and moss green.
- We pick up old desks and chairs and recycle them.
- A trial of one workplace for two weeks is free.

# Questions to ask, one at a time
- How many workplaces do you need?
- By which date should everything stand?
- May I send you a quote by e-mail?`,
  },
];

/** Return the hours in which a product's messages are sent. */
export function sendingHoursOf(product: DemoProduct): Omit<SendingHours, 'typing'> {
  const week = toWeek({ days: product.hours.days });
  return {
    hours: { week, zone: product.hours.timezone },
    // The first product's bot replies at any hour; leads sleep at night.
    replies: product === PRODUCTS[0] ? AWAKE : week,
    steps: product.outreach?.followUps.map((one) => one.afterMinutes) ?? [],
  };
}
