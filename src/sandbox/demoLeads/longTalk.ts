/** A conversation of seven weeks, from the first question to the day of delivery, long enough to scroll through. */
import type { Sitting } from './lead.ts';

export const LONG_TALK: readonly Sitting[] = [
  {
    daysAgo: 52,
    at: '10:30',
    script: `
bot: Hello Ivy! This is Vera of Lindgren Studio. Your friend Nell told us that you are planning a kitchen. How long is the wall the kitchen will stand against?
lead: Hello Vera! Nell raves about her wardrobe. The wall is 4.2 metres
bot: How kind of her! With 4.2 metres you have room for everything. A kitchen costs from 4,200 euros for three metres, and an extra metre is 900 euros. Do you have a drawing or a photo of the room?
lead [image]:
lead: the room as it is now
lead: Sorry for the cat
bot: The cat looks like the architect! Thank you, the window and the two doors are clear to see. When would a free measuring suit you?
lead: What exactly happens at a measuring?
bot: A designer measures the room for free, shows samples of all fronts and worktops, and afterwards prepares two designs. It takes about an hour. When would it suit you?
lead: Saturday morning?
bot: Saturday at 10:00 is noted. Which address shall I write down?
lead: 9 Featherbed Row, Bath. The bell does not work, please knock`,
  },
  {
    daysAgo: 51,
    at: '13:20',
    script: `
lead: One question before Saturday. Do you also fit appliances that I buy elsewhere?
bot: Yes, we fit appliances of any brand: oven, hob, fridge and dishwasher. Just tell the designer the models.
lead: And the water pipe has to move by half a metre
bot: I will check that with a colleague and come back to you.
operator: Hello Ivy, Demo from the studio. Half a metre is no trouble, our fitter does that on the first day. It is 140 euros with material.
lead: Perfect, thank you
operator: With pleasure. I leave you with Vera again.`,
  },
  {
    daysAgo: 48,
    at: '09:05',
    script: `
lead: The designer was lovely. She found a crooked corner that I had not noticed in eleven years
bot: That is why we measure! The two designs will be drawn within five days. Do you lean towards ash or oak?
lead: Ash. Is it as sturdy as oak?
bot: Ash is about as hard as oak and a little springier; in a kitchen both last for decades. The warranty is ten years on cabinets and five years on hinges and drawers.
lead: And the worktop in oak, can that be mixed?
bot: Of course, an oak worktop adds 300 euros and looks very well with ash fronts.`,
  },
  {
    daysAgo: 44,
    at: '11:40',
    script: `
operator: Good morning Ivy! Your two designs are ready. A: one long line under the window. B: an L with the hob on the short side.
phone [document]:
lead: Oh, these are beautiful. I need to sleep on it
operator: Take your time. If you like, come to the showroom, we have an L much like yours.
lead: When are you open?
operator: Monday to Saturday, 10:00 to 19:00.
lead: Then Saturday it is`,
  },
  {
    daysAgo: 41,
    at: '15:10',
    script: `
lead: Back from the showroom. The L it is, variant B
bot [cancelled: The lead wrote again]: Wonderful, variant B is noted.
lead: But with the hob further from the corner
bot: Variant B it is, with the hob away from the corner. How far from it would you like to stand, 30 or 60 centimetres?
lead: 60
bot: Noted: 60 centimetres. The designer changes the drawing, and you get it together with the price.
lead: Can the drawers close softly?
bot: All our drawers and doors close softly, that is included in the price.`,
  },
  {
    daysAgo: 38,
    at: '10:15',
    script: `
operator: Ivy, the final drawing and the price: 6,980 euros with ash fronts, oak worktop, moving the pipe, delivery and fitting.
phone [document]:
lead: That is a little more than I thought. What if the upper cabinets go?
operator: Open shelves instead of three upper cabinets: 6,310 euros. And an order this week earns 5 %, so 5,994.
lead: Shelves! I always wanted shelves
lead: Can I pay in parts?
operator: In three parts without interest: with the order, at delivery and after the fitting.
lead: Then send me the contract please`,
  },
  {
    daysAgo: 37,
    at: '12:00',
    script: `
phone [document]:
lead: Signed and sent back. I am excited!
operator: So are we. Production takes five weeks from Monday, then we come and fit it.
phone: Ivy, this is the workshop. Quick one: the grain of the shelves lengthwise or crosswise?
lead: Lengthwise please
phone: Lengthwise it is, thank you!`,
  },
  {
    daysAgo: 13,
    at: '16:25',
    script: `
lead: How is my kitchen doing?
phone [image]:
phone: your fronts, fresh from the oil
lead: I am showing this to everybody in the office
operator: The worktop follows on Thursday. Everything is on time.
lead: My neighbour asks whether you take on a small pantry as well
operator: We do. Give her this number, or send me hers if she agrees.
lead: I will ask her tonight`,
  },
  {
    daysAgo: 2,
    at: '09:50',
    script: `
operator: Good morning Ivy! The van comes next Tuesday between 8 and 9. Is there a place to park in front of the house?
lead: There is if my brother moves his boat. He will
operator: A boat! Please thank him from us.
lead: Do I have to empty the old kitchen myself?
operator: Only the drawers and shelves. Our fitters do the rest and take the old kitchen with them.
lead: Then I start with the tea collection, that alone takes a day`,
  },
  {
    minutesAgo: 35,
    script: `
lead: Drawers are empty, boat is gone!
operator: You are the best prepared customer of the year.
lead: One last question: the electrician asks whether the hob needs its own fuse. Can you tell me what to answer?`,
  },
];
