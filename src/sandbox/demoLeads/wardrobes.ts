/** Leads for wardrobes. All of them are invented, with numbers from unassigned ranges. */
import type { DemoLead } from './lead.ts';

export const WARDROBES: readonly DemoLead[] = [
  {
    name: 'Oliver Marmaladeson',
    messenger: 'whatsapp',
    contact: '+44 7700 900119',
    stage: 'ongoing',
    timezone: 'Europe/London',
    age: 3,
    fields: { city: 'London', niche_m: 2.1, doors: ['oak', 'mirror'], source: 'recommendation' },
    talk: [
      {
        daysAgo: 2,
        at: '16:20',
        script: `
bot: Hello Oliver! This is Oskar of Lindgren Studio. You asked about a built-in wardrobe. How wide and how high is the niche?
lead: 2.1 wide, 2.6 high. It is under the stairs, so one side slopes
bot: Under the stairs is our favourite place. A wardrobe costs from 900 euros per metre with sliding doors. Which doors do you like: mirror, oak or lacquer?
lead: Oak, but one mirror for the hallway`,
      },
      {
        minutesAgo: 140,
        script: `
lead: How long does it take once measured?
bot: Production takes three weeks, fitting takes one day. Shall we come and measure it this week?
lead: Not this week, the builders are still in. Next one?
bot: Next week is fine. Which day suits you, and is it easier before or after noon?`,
      },
    ],
  },
  {
    name: 'Hana Tsukimori',
    messenger: 'telegram',
    contact: '@hana_tsukimori',
    stage: 'pending',
    timezone: 'Asia/Tokyo',
    age: 8,
    fields: { city: 'Yokohama', budget: 2500, niche_m: 1.8 },
    moved: { by: 'classification', reason: 'The lead moves house in spring and decides then' },
    talk: [
      {
        daysAgo: 7,
        at: '17:05',
        script: `
bot: Hello Hana! This is Oskar of Lindgren Studio. You asked about a wardrobe with a light inside. How wide and how high is the niche?
lead: 1.8 m and 2.4 m. Is the light always on?
bot: No, a sensor switches it on when the door opens. Which doors do you like: mirror, oak or lacquer?
lead: Lacquer. But we move in spring, I will think about it until then
bot: Of course, take your time. I will be here when it suits you.`,
      },
    ],
  },
  {
    name: 'Max Skyscrapington',
    messenger: 'whatsapp',
    contact: '+1 212 555-0121',
    stage: 'ongoing',
    timezone: 'America/New_York',
    age: 2,
    fields: { city: 'New York', budget: 4000, niche_m: 3.2 },
    human: 'demo',
    talk: [
      {
        daysAgo: 1,
        at: '11:50',
        script: `
bot: Hello Max! This is Oskar of Lindgren Studio. You asked about a wardrobe for a high room. How wide and how high is the niche?
lead: 3.2 wide, 3.4 high
bot: That is a generous niche! Ceilings up to 3.2 metres high are no problem; for 3.4 I will check with a colleague and come back to you.
operator: Hi Max, Demo from the studio. 3.4 works with a row of small cabinets above the sliding doors.
lead: Clever. How would I reach those?`,
      },
      {
        minutesAgo: 65,
        script: `
operator: With a ladder on a rail, like in a library. It rolls away behind the last door.
lead: A library ladder?! Sold. What does the ladder cost on its own?`,
      },
    ],
  },
  {
    name: 'Fritz Regenbogen',
    messenger: 'telegram',
    contact: '@fritz_regenbogen',
    stage: 'started',
    timezone: 'Europe/Berlin',
    age: 3,
    fields: { city: 'Leipzig', source: 'website form' },
    talk: [
      {
        daysAgo: 2,
        at: '10:30',
        script: `
bot [read]: Hello Fritz! This is Oskar of Lindgren Studio. You asked about a wardrobe for your hallway. How wide and how high is the niche?`,
      },
    ],
  },
  {
    name: 'Tanya Matryoshkina',
    messenger: 'whatsapp',
    contact: '+7 999 100-00-23',
    stage: 'success',
    timezone: 'Europe/Moscow',
    age: 18,
    fields: { city: 'Moscow', budget: 3200, doors: ['mirror'], niche_m: 2.4 },
    moved: { by: 'classification', reason: 'The lead agrees to the order' },
    human: 'qualified',
    talk: [
      {
        daysAgo: 15,
        at: '14:00',
        script: `
bot: Hello Tanya! This is Oskar of Lindgren Studio. You asked about a wardrobe with mirror doors. How wide and how high is the niche?
lead: 2.4 by 2.7 m. A wardrobe inside a wardrobe for the suitcases, can you do that?
bot: That is a first, and yes: a cabinet with its own door at the bottom. Shall we come and measure it this week?
lead: Friday after lunch`,
      },
      {
        daysAgo: 4,
        at: '16:30',
        script: `
bot: Tanya, your drawing is ready: 2.4 metres, two mirror doors and the suitcase cabinet come to 2,520 euros. Would you like to go ahead?
lead: Yes, let's do it!
bot: Great, let's do it! A colleague will contact you here to settle the details.
operator: Hello Tanya, Demo from the studio. The contract is in your mail, fitting will be three weeks after you sign.
lead: Signed already`,
      },
    ],
  },
  {
    name: 'Penny Surfboard',
    messenger: 'whatsapp',
    contact: '+1 310 555-0124',
    stage: 'ongoing',
    timezone: 'America/Los_Angeles',
    age: 1,
    fields: { city: 'Santa Monica', niche_m: 2.9, budget: 3500 },
    wroteFirst: true,
    talk: [
      {
        minutesAgo: 310,
        script: `
lead [image]:
lead: can you build something into this? has to hold two boards
bot: Hello Penny! We build wardrobes into niches, under stairs and under sloping roofs. How wide and how high is the niche?
lead: 2.9 wide, 2.7 high, the boards are 2.2 long
bot: Then the boards fit upright on the left, with shelves beside them. Which doors do you like: mirror, oak or lacquer?
lead: Oak. What happens with salt water and oak though
bot: I will check that with a colleague and come back to you. Shall we come and measure it this week?
lead: Sure, Thursday`,
      },
      {
        minutesAgo: 290,
        script: `
bot: Thursday is noted. Is the morning or the afternoon better?`,
      },
    ],
  },
  {
    name: 'Juno Starling',
    messenger: 'telegram',
    contact: '@juno_starling',
    stage: 'initial',
    timezone: null,
    age: 0.4,
    fields: { doors: ['mirror', 'lacquer'], source: 'instagram' },
  },
  {
    name: 'Barnaby Foggington',
    messenger: 'whatsapp',
    contact: '+44 7700 900126',
    stage: 'refused',
    timezone: 'Europe/London',
    age: 22,
    fields: { city: 'Brighton', niche_m: 1.5 },
    moved: { by: 'classification', reason: 'The lead keeps the old wardrobe', after: 0 },
    human: 'writes again',
    talk: [
      {
        daysAgo: 19,
        at: '12:15',
        script: `
bot: Hello Barnaby! This is Oskar of Lindgren Studio. You asked about a wardrobe of 1.5 metres. Which doors do you like: mirror, oak or lacquer?
lead: We keep the old one after all, thank you, not interested
bot: I understand, thank you for telling me. If anything changes, just write here. All the best!`,
      },
      {
        daysAgo: 1,
        at: '17:45',
        script: `
lead: Hello again. The old wardrobe has collapsed on Sunday. Is your offer still standing?`,
      },
    ],
  },
  {
    name: 'Nikita Uralochkin',
    messenger: 'telegram',
    contact: '+7 999 143-00-27',
    stage: 'ongoing',
    timezone: 'Asia/Yekaterinburg',
    age: 5,
    fields: { city: 'Yekaterinburg', budget: 1800, niche_m: 1.2 },
    talk: [
      {
        daysAgo: 4,
        at: '13:30',
        script: `
bot: Hello Nikita! This is Oskar of Lindgren Studio. You asked about a small wardrobe. How wide and how high is the niche?
lead: 1.2 x 2.5. And how can I pay?
bot: You can pay by card, half with the order and half after the fitting. Which doors do you like: mirror, oak or lacquer?
lead: Mirror, the hallway is dark
bot: A mirror door adds 120 euros and a good deal of light. Shall we come and measure it this week?`,
      },
      {
        daysAgo: 1,
        at: '16:10',
        script: `
lead: Saturday?
bot: Our hours are Monday to Friday from 9:00 to 18:00. Would Friday at 17:00 work for you?`,
      },
    ],
  },
  {
    name: 'Wren Thimble',
    messenger: 'telegram',
    contact: '@wren_thimble',
    stage: 'ignore',
    timezone: null,
    age: 44,
    fields: { source: 'home fair' },
    moved: { by: 'expired after 720 hours of silence', hoursLater: 720 },
    talk: [
      {
        daysAgo: 30,
        at: '11:20',
        script: `
bot: Hello Wren! This is Oskar of Lindgren Studio; we met at the home fair. How wide and how high is the niche?
lead: will measure and tell you
bot: Perfect, just write here.`,
      },
    ],
  },
  {
    name: 'Ren Kazaguruma',
    messenger: 'whatsapp',
    contact: '+81 90 0000 0129',
    stage: 'started',
    timezone: 'Asia/Tokyo',
    age: 2,
    fields: { city: 'Osaka', budget: 2200, niche_m: 1.6 },
    talk: [
      {
        daysAgo: 1,
        at: '10:30',
        script: `
bot [delivered]: Hello Ren! This is Oskar of Lindgren Studio. You asked about a wardrobe of 1.6 metres. Which doors do you like: mirror, oak or lacquer?`,
      },
    ],
  },
  {
    name: 'Ruby Hudsonfall',
    messenger: 'whatsapp',
    contact: '+1 212 555-0130',
    stage: 'initial',
    timezone: 'America/New_York',
    age: 6,
    fields: { city: 'New York', note: 'came in twice, see Max' },
    switchedOff: 'demo',
  },
];
