/** Leads for kitchens in Europe and America. All of them are invented, with numbers from unassigned ranges. */
import type { DemoLead } from './lead.ts';
import { LONG_TALK } from './longTalk.ts';

export const KITCHENS: readonly DemoLead[] = [
  {
    name: 'Ivy Quillfeather',
    messenger: 'whatsapp',
    contact: '+44 7700 900101',
    stage: 'success',
    timezone: 'Europe/London',
    age: 53,
    fields: {
      city: 'Bath',
      budget: 9500,
      wall_m: 4.2,
      interests: ['ash fronts', 'oak worktop', 'induction hob'],
      source: 'recommendation',
    },
    moved: { by: 'demo', reason: 'order signed', after: 6 },
    human: 'demo',
    documents: [
      {
        name: 'Offer, variant B',
        type: 'offer',
        daysAgo: 46,
        text: `Offer for Ivy Quillfeather, variant B with open shelves

Kitchen of 4.2 metres, L-shaped: ash fronts, oak worktop, hob 60 cm from the corner, three open shelves.
Included: moving the water pipe by half a metre, delivery to Bath, fitting in two days.
Price: 5,994 euros, in three parts without interest.
Production: five weeks from the signed order.`,
      },
      {
        name: 'Signed order',
        type: 'order',
        daysAgo: 44,
        url: 'https://files.lindgren.example/orders/quillfeather.pdf',
      },
    ],
    talk: LONG_TALK,
  },
  {
    name: 'Otto Lampenschirm',
    messenger: 'whatsapp',
    contact: '+49 30 23125 101',
    stage: 'ongoing',
    timezone: 'Europe/Berlin',
    age: 4,
    fields: { city: 'Berlin', budget: 7800, rooms: ['kitchen', 'pantry'], wall_m: 3.9 },
    documents: [
      {
        name: 'New floor plan',
        type: 'plan',
        daysAgo: 2,
        url: 'https://files.lindgren.example/plans/lampenschirm.pdf',
      },
    ],
    human: 'demo',
    talk: [
      {
        daysAgo: 3,
        at: '09:30',
        script: `
bot: Hello Otto! This is Vera of Lindgren Studio. You asked about a kitchen with a pantry. How long is the wall the kitchen will stand against?
lead: 3.9 m. The pantry door must stay reachable.
bot: Understood, the pantry door stays free. Do you have a drawing or a photo of the room?
lead: Yes, but it shows the old walls. I would rather talk to a person about this one.
bot: Of course, a colleague takes over here.`,
      },
      {
        daysAgo: 2,
        at: '14:10',
        script: `
operator: Hello Otto, Demo from the studio here. Which wall has moved, the one to the pantry?
lead: Exactly, by 40 cm. The new drawing comes from my architect tomorrow.
operator: Perfect. With the new drawing I can send you both variants within two days.
lead [document]:
lead: Grundriss neu
operator [tomorrow 10:00]: Good morning Otto! Here are the two designs as promised. The first keeps the pantry door on the left, the second moves it under the stairs. Which one speaks to you?`,
      },
    ],
  },
  {
    name: 'Dolores Bagelstein',
    messenger: 'whatsapp',
    contact: '+1 212 555-0106',
    stage: 'ongoing',
    timezone: 'America/New_York',
    age: 5,
    fields: { city: 'New York', budget: 12000, interests: ['lacquer', 'island'] },
    human: 'phone',
    talk: [
      {
        daysAgo: 2,
        at: '10:45',
        script: `
bot: Hello Dolores! This is Vera of Lindgren Studio. You asked about a kitchen with an island. How long is the wall the kitchen will stand against?
lead: 13 feet, plus the island
bot: That is about four metres, so there is room for an island of its own. Do you have a drawing or a photo of the room?
lead: Can somebody just call me? Typing with a toddler on my arm
phone: Hi Dolores, this is the studio. I just tried to reach you, when is nap time? :)
lead: Ha! 1 to 3 pm usually
phone: I will call tomorrow at 1:15 pm then.`,
      },
      {
        minutesAgo: 190,
        script: `
phone: Thanks for the call! As discussed: island 5 by 3 feet, white lacquer, stone worktop. The drawing follows this week.
lead: Wonderful. One more thing: can the island have power outlets on both sides?`,
      },
    ],
  },
  {
    name: 'Luna Palmtree',
    messenger: 'telegram',
    contact: '@luna_palmtree',
    stage: 'started',
    timezone: 'America/Los_Angeles',
    age: 2,
    fields: { city: 'Los Angeles', source: 'home fair' },
    talk: [
      {
        daysAgo: 1,
        at: '10:30',
        script: `
bot [delivered]: Hello Luna! This is Vera of Lindgren Studio; we met at the home fair. You liked the ash kitchen with the long shelf. How long is the wall the kitchen will stand against?`,
      },
    ],
  },
  {
    name: 'Greta Apfelkuchen',
    messenger: 'whatsapp',
    contact: '+49 30 23125 112',
    stage: 'success',
    timezone: 'Europe/Berlin',
    age: 15,
    fields: { city: 'Potsdam', budget: 8800, interests: ['oak fronts', 'oak worktop'], wall_m: 4 },
    moved: { by: 'classification', reason: 'The lead wants to order variant B' },
    human: 'qualified',
    documents: [
      {
        name: 'Offer, variant B',
        type: 'offer',
        daysAgo: 6,
        text: `Offer for Greta Apfelkuchen, variant B

Kitchen of 4 metres: oak fronts, oak worktop, tall cabinet with the oven at eye level.
Included: delivery to Potsdam, fitting in two days.
Price: 5,400 euros.
Production: four to six weeks from the order.`,
      },
    ],
    talk: [
      {
        daysAgo: 5,
        at: '10:10',
        script: `
bot: Good morning Greta! The two designs of your oak kitchen are ready. Shall I tell you what differs?
lead: Yes please
bot: Variant A has drawers along the whole wall; variant B has a tall cabinet with the oven at eye level. Which one fits your days better?
lead: B! My back says thank you. What would it cost?
bot: Four metres with fronts and worktop of oak come to 5,400 euros, delivery within 100 km included. Would you like to go ahead with variant B?`,
      },
      {
        daysAgo: 1,
        at: '11:35',
        script: `
lead: We talked it over. Yes, we would like to order B!
bot: Wonderful! A colleague will contact you here to settle the details.
lead: Great. Could the invoice go to my company, and in two parts instead of three?`,
      },
    ],
  },
  {
    name: 'Milo Pebblebrook',
    messenger: 'telegram',
    contact: '@milo_pebblebrook',
    stage: 'ongoing',
    timezone: null,
    age: 0.2,
    wroteFirst: true,
    judged: 'The lead wants a measuring next week and looks for a day',
    talk: [
      {
        minutesAgo: 185,
        script: `
lead: hey, saw your van outside. do you guys also take down the old kitchen?
bot: Hello Milo! Yes: taking down and removing the old kitchen is 250 euros. How long is the wall the kitchen will stand against?
lead: roughly 3m. and how long is one without a kitchen then
bot: Fitting takes two days, and the old kitchen goes on the morning of the first, so one evening without a stove. When would a free measuring suit you?
lead: next week is fine, will check my shifts
bot [delivered]: Perfect, just write here when you know them.`,
      },
    ],
  },
  {
    name: 'Poppy Teacosy',
    messenger: 'whatsapp',
    contact: '+44 7700 900114',
    stage: 'failed',
    timezone: 'Europe/London',
    age: 7,
    fields: { city: 'York', source: 'leaflet' },
    moved: { by: 'demo', reason: 'number is not on WhatsApp', hoursLater: 2 },
    talk: [
      {
        daysAgo: 6,
        at: '10:30',
        script: `
bot [error BAD_CONTACT: There is no such user in this messenger]: Hello Poppy! This is Vera of Lindgren Studio. You left us your number for a free measuring. How long is the wall the kitchen will stand against?`,
      },
    ],
  },
  {
    name: 'Theo Subwayman',
    messenger: 'whatsapp',
    contact: '+1 212 555-0115',
    stage: 'ignore',
    timezone: 'America/New_York',
    age: 23,
    fields: { city: 'New York', budget: 4000 },
    moved: { by: 'expired after 336 hours of silence', after: 0, hoursLater: 336 },
    talk: [
      {
        daysAgo: 17,
        at: '17:20',
        script: `
bot: Hello Theo! This is Vera of Lindgren Studio. You asked about a small kitchen. How long is the wall the kitchen will stand against?
lead: 8 feet, I rent though
bot: Many of our kitchens move house with their owners. Do you have a drawing or a photo of the room?`,
      },
      {
        followUp: 1,
        script: `bot: Theo, is the kitchen still on your mind? Our designer measures the room for free and prepares two designs. When would it suit you?`,
      },
      {
        followUp: 2,
        script: `bot [delivered]: Theo, the designer brings samples of all fronts to the measuring, and two designs are drawn within five days. Would that help you to decide?`,
      },
    ],
  },
  {
    name: 'Fern Applewhistle',
    messenger: 'telegram',
    contact: '@fern_applewhistle',
    stage: 'initial',
    timezone: null,
    age: 1,
    fields: { source: 'instagram', interests: ['lacquer', 'sage green'] },
  },
];
