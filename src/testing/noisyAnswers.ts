/** Answers of a model that never says the same twice, and regressions planted in them: for tests of comparing answers. */
import type { Random } from '../sandbox/random.ts';

/** What a turn is about. Every tenth turn or so is about each. */
export const TOPICS = ['price', 'link', 'weeks', 'hours', 'materials'] as const;
export type Topic = (typeof TOPICS)[number];

export const regressions = ['price', 'question', 'language', 'hand_over', 'link', 'length'] as const;
export type Regression = (typeof regressions)[number];

/** How much the model differs from itself: the probability that it leaves out its question, and that it adds a fact. */
export interface Noise {
  readonly leavesOutQuestion: number;
  readonly addsFact: number;
}

interface Answer {
  readonly text: string;
  readonly hand_over: 'cannot_answer' | null;
  readonly stage: null;
}

const FACTS: Readonly<Record<Topic, readonly string[]>> = {
  price: [
    'A kitchen costs from 4,200 euros, worktop included.',
    'Prices for a kitchen begin at 4,200 €, and the worktop is included in that.',
    'You can have a kitchen from 4200 euros; this includes the worktop.',
  ],
  link: [
    'You find pictures of our kitchens at https://kitchens-to-measure.com/pictures.',
    'Have a look at https://kitchens-to-measure.com/pictures, there are many pictures.',
    'Our pictures: kitchens-to-measure.com/pictures',
  ],
  weeks: [
    'Production takes four to six weeks.',
    'We need 4 to 6 weeks to produce it.',
    'It is ready after four to six weeks of production.',
  ],
  hours: [
    'The showroom is open from 10:00 to 19:00.',
    'You are welcome in our showroom between 10:00 and 19:00.',
    'Come to the showroom at any time from 10:00 until 19:00.',
  ],
  materials: [
    'Fronts are made of oak, ash or lacquer.',
    'For the fronts you can choose oak, ash or lacquer.',
    'We offer fronts of oak, of ash and of lacquer.',
  ],
};
const OPENINGS = ['Thank you for asking!', 'Good question.', 'Gladly.', 'Of course!', 'Thanks for your message.'];
const QUESTIONS = [
  'How long is the wall the kitchen will stand against?',
  'Could you tell me how long the wall is?',
  'May I ask how long the wall of your kitchen is?',
];
const MORE = [
  'We make every kitchen to measure, from the first drawing to the last handle, and a designer comes to your home.',
  'Our designer measures the room, prepares designs and discusses them with you before anything is ordered at all.',
  'Many of our customers come back to us with a second home, since everything fits and lasts for a very long time.',
  'We also take the old kitchen away, protect the floor while we work and leave the room as clean as we found it.',
];
const RUSSIAN = [
  'Спасибо за вопрос! Кухни мы делаем на заказ, от первого рисунка до последней ручки. Какой длины стена?',
  'С удовольствием отвечу: все кухни мы делаем на заказ. Подскажите, пожалуйста, какой длины стена?',
];

/** Write an answer. Two calls are two samples of the same model. */
export function writeNoisyAnswer(
  random: Random,
  { topic, noise, regression = null }: { topic: Topic; noise: Noise; regression?: Regression | null },
): Answer {
  if (regression === 'hand_over') return { text: '', hand_over: 'cannot_answer', stage: null };
  if (regression === 'language') return { text: random.pick(RUSSIAN), hand_over: null, stage: null };
  const parts = [
    random.pick(OPENINGS),
    ...(regression === 'link' && topic === 'link' ? [] : [random.pick(FACTS[topic])]),
    ...(random.chance(noise.addsFact) ? [random.pick(FACTS[random.pick(TOPICS)])] : []),
    ...(regression === 'length' ? MORE : []),
    ...(regression === 'question' || random.chance(noise.leavesOutQuestion) ? [] : [random.pick(QUESTIONS)]),
  ];
  const text = parts.join(' ');
  return {
    text: regression === 'price' ? text.replace(/4,?200/g, '4,900') : text,
    hand_over: null,
    stage: null,
  };
}
