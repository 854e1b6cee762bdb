/** Leads for office furniture. All of them are invented, with numbers from unassigned ranges. */
import type { DemoLead } from './lead.ts';

export const OFFICES: readonly DemoLead[] = [
  {
    name: 'Harriet Crumpetwell',
    messenger: 'whatsapp',
    contact: '+44 7700 900131',
    stage: 'ongoing',
    timezone: 'Europe/London',
    age: 4,
    fields: { company: 'Crumpetwell & Daughters', workplaces: 25, needs: ['desks', 'chairs', 'meeting room'] },
    talk: [
      {
        daysAgo: 3,
        at: '09:40',
        script: `
bot: Good morning Harriet! This is Mila of Lindgren Studio. You asked about furniture for your new office. How many workplaces do you need?
lead: 25, and one meeting room for ten
bot: A workplace with a height-adjustable desk, a chair and a cabinet costs from 780 euros, and a discount of 12 % applies from ten workplaces. By which date should everything stand?
lead: First of next month. Is that realistic?
bot: Yes: delivery takes two weeks, and assembly is included. May I send you a quote by e-mail?
lead: Please: harriet@crumpetwell.example`,
      },
      {
        daysAgo: 1,
        at: '10:05',
        script: `
lead: The quote looks good. Which colours do the chairs come in?
bot: Black, grey and moss green. Shall I put a mix into the quote?
lead: Moss green for all of them. My daughters have spoken
bot: Moss green for everybody then. Shall I send you the final quote today?`,
      },
    ],
  },
  {
    name: 'Hugo Boulevardo',
    messenger: 'telegram',
    contact: '@hugo_boulevardo',
    stage: 'pending',
    timezone: 'America/Los_Angeles',
    age: 10,
    fields: { company: 'Boulevardo Pictures', workplaces: 12, budget: 9000 },
    moved: { by: 'classification', reason: 'The lead waits for the budget of next quarter' },
    talk: [
      {
        daysAgo: 8,
        at: '15:25',
        script: `
bot: Hello Hugo! This is Mila of Lindgren Studio. You asked about desks for a cutting room. How many workplaces do you need?
lead: 12. Can we rent instead of buying?
bot: Yes, renting is possible for 24 months at 29 euros a month per workplace. By which date should everything stand?
lead: Next quarter, when the budget is there. Ping me later
bot: Of course. I will write to you at the start of the quarter.`,
      },
    ],
  },
  {
    name: 'Lotte Wolkenstein',
    messenger: 'whatsapp',
    contact: '+49 30 23125 133',
    stage: 'success',
    timezone: 'Europe/Berlin',
    age: 25,
    fields: { company: 'Wolkenstein Architekten', workplaces: 8, needs: ['desks', 'chairs'], budget: 6500 },
    moved: { by: 'demo', reason: 'order placed' },
    human: 'demo',
    talk: [
      {
        daysAgo: 21,
        at: '11:00',
        script: `
bot: Hello Lotte! This is Mila of Lindgren Studio. You asked about desks for architects. How many workplaces do you need?
lead: 8, but with very large desks, 200 x 100
bot: I will check that with a colleague and come back to you.
operator: Hello Lotte, Demo from the studio. 200 x 100 is possible, 60 euros more per desk, with stronger motors.
lead: Great. And can we try one first?
operator: Gladly: a trial of one workplace for two weeks is free. I bring it on Thursday.`,
      },
      {
        daysAgo: 6,
        at: '10:20',
        script: `
operator: Good morning Lotte! How was the trial?
lead: Nobody wants to give the desk back. We take all eight!
operator: Wonderful! The order confirmation is in your mail, delivery is in two weeks.
lead: Thank you, we look forward to it`,
      },
    ],
  },
  {
    name: 'Aoi Hoshizora',
    messenger: 'telegram',
    contact: '@aoi_hoshizora',
    stage: 'ongoing',
    timezone: 'Asia/Tokyo',
    age: 2,
    fields: { company: 'Hoshizora Games', workplaces: 40 },
    noAnswer:
      'No answer: The model vendor answered 500: The server had an error while processing your request. Sorry about that!',
    talk: [
      {
        daysAgo: 1,
        at: '14:40',
        script: `
bot: Hello Aoi! This is Mila of Lindgren Studio. You asked about furniture for a game studio. How many workplaces do you need?
lead: 40, half of them for two monitors
bot: A discount of 12 % applies from ten workplaces, 18 % from fifty. By which date should everything stand?`,
      },
      {
        minutesAgo: 105,
        script: `
lead: End of the quarter. Do you take the old desks away?`,
      },
    ],
  },
  {
    name: 'Chase Sunsetter',
    messenger: 'whatsapp',
    contact: '+1 310 555-0135',
    stage: 'refused',
    timezone: 'America/Los_Angeles',
    age: 13,
    fields: { company: 'Sunsetter Yoga', workplaces: 3 },
    moved: { by: 'classification', reason: 'The lead works from home from now on' },
    talk: [
      {
        daysAgo: 11,
        at: '16:00',
        script: `
bot: Hello Chase! This is Mila of Lindgren Studio. You asked about three workplaces. By which date should everything stand?
lead: Change of plans, we all work from home now. No thanks
bot: I understand, thank you for telling me. If anything changes, just write here. All the best!`,
      },
    ],
  },
  {
    name: 'Sveta Oblakova',
    messenger: 'telegram',
    contact: '+7 999 100-00-36',
    stage: 'started',
    timezone: 'Europe/Moscow',
    age: 1.5,
    fields: { company: 'Oblako Travel', workplaces: 14 },
    talk: [
      {
        daysAgo: 1,
        at: '13:30',
        script: `
bot [sent]: Hello Sveta! This is Mila of Lindgren Studio. You asked about furniture for a travel agency. By which date should everything stand?`,
      },
    ],
  },
  {
    name: 'Sage Willowby',
    messenger: 'telegram',
    contact: '@sage_willowby',
    stage: 'initial',
    timezone: null,
    age: 0.3,
    fields: { company: 'Willowby Books', workplaces: 6, source: 'website form' },
  },
  {
    name: 'Robin Oakenshelf',
    messenger: 'whatsapp',
    contact: '+44 7700 900138',
    stage: 'failed',
    timezone: null,
    age: 9,
    fields: { company: 'Oakenshelf Ltd' },
    moved: { by: 'classification', reason: 'Wrong number' },
    talk: [
      {
        daysAgo: 7,
        at: '12:05',
        script: `
bot: Hello Robin! This is Mila of Lindgren Studio. You asked about furniture for your company. How many workplaces do you need?
lead: Wrong number I am afraid, I am a dentist
bot: Sorry, it seems I have the wrong contact. Have a good day!`,
      },
    ],
  },
  {
    name: 'Casper Nightlamp',
    messenger: 'telegram',
    contact: '@casper_nightlamp',
    stage: 'ongoing',
    timezone: null,
    age: 6,
    fields: { note: 'a furniture maker himself' },
    wroteFirst: true,
    switchedOff: 'demo',
    human: 'demo',
    talk: [
      {
        daysAgo: 5,
        at: '17:10',
        script: `
lead: hi, what motors do you use in your desks?
bot: Hello Casper! I will check that with a colleague and come back to you. How many workplaces do you need?
lead: none, I build desks myself. just curious
operator: Hello Casper, then let us talk shop some other time. Write to the workshop, they love such questions.
lead: will do, cheers`,
      },
    ],
  },
  {
    name: 'Basil Fernwick',
    messenger: 'telegram',
    contact: '@basil_fernwick',
    stage: 'initial',
    timezone: null,
    age: 2,
    fields: { company: 'Fernwick Gardens', workplaces: 9, needs: ['chairs'] },
  },
];
