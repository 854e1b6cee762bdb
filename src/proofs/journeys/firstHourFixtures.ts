/** Texts that the reader of the guide's first hour types, word for word. */
export const TYPED = {
  company: 'Harbour Boats',
  product: 'Boat hire',
  channel: 'Harbour WhatsApp',
  lead: 'Nina Marlow',
  number: '+371 20 555 001',
  greeting: 'Good day, {{ lead.name }}! You asked about a boat. For how many people should it be?',
  nudge: 'Good day, {{ lead.name }}! Shall I keep a boat for you?',
  prompt: `You are Mara of {{ company.name }}. You write to {{ lead.name }} about hiring a boat.
Be brief and friendly. Answer first, then ask one question. Never promise what is not written here.

# Facts
- A boat for six people costs 90 euros an hour.
- A boat for twelve people costs 150 euros an hour.
- Our address is Pier 4; we are open from 10:00 to 20:00.
- A skipper can be hired for 40 euros an hour.

# Questions to ask, one at a time
- How many people are you?
- Which day would you like to go out?
`,
  question: 'How much is a boat for six people?',
  secondQuestion: 'And what is your address?',
  modelKey: 'sk-sandbox-0001',
} as const;
