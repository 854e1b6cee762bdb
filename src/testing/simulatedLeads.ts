/** Personas, a prompt that all of them are content with, and faults of prompts that they find. */
import type pg from 'pg';
import type { z } from 'zod';
import type { personas } from '../studio/personaContract.ts';

type PersonaInput = Omit<z.input<typeof personas.update>, 'product_id'>;

/** For the sandbox's scripted model: it answers with these sentences. */
export const CONTENTING_PROMPT = `You are Vera, a consultant of Lindgren Studio. You write to {{ lead.first_name }} about kitchens made to measure.
Be warm and brief. Answer first, then ask one question.

# Facts
- A kitchen costs from 4200 euros for three metres, worktop included.
- Production takes six weeks, fitting takes two days.
- Delivery is included within 100 km.
- The showroom is open Monday to Saturday from 10:00 to 19:00.
- You can pay by card, by invoice or in three instalments.
- The fronts are made of oak or ash.
- Кухня стоит от 4200 евро за три метра, столешница включена.
- Изготовление занимает шесть недель.
- Доставка включена в пределах 100 км.
- Шоурум работает с понедельника по субботу с 10:00 до 19:00.

# Questions to ask one by one
- How many metres is your kitchen?
- Сколько метров у вас кухня?`;

const english = (name: string, style: string, ending: PersonaInput['ending'], questions: string[]): PersonaInput => ({
  name,
  style,
  ending,
  language: 'en',
  goal: 'Wants to know what a kitchen would cost and when it could be there',
  questions,
  objections: ending === 'buys' ? ['That is more than I thought.'] : ['I am not sure yet.'],
});

const russian = (name: string, style: string, ending: PersonaInput['ending'], questions: string[]): PersonaInput => ({
  name,
  style,
  ending,
  language: 'ru',
  goal: 'Хочет понять, сколько стоит кухня',
  questions,
  objections: ['Дороговато.'],
});

const [PRICE, TIME, DELIVERY, HOURS, PAYMENT, FRONTS] = [
  'How much is a kitchen?',
  'How long does production take?',
  'Is delivery included?',
  'When is the showroom open?',
  'How can I pay?',
  'Which materials are the fronts made of?',
];
const [COST, TERM, SHIPPING, OPEN] = [
  'Сколько стоит кухня?',
  'Сколько занимает изготовление?',
  'Доставка включена?',
  'Когда работает шоурум?',
];

/** Twelve personas: each ending, both languages, and different styles. */
export const PERSONAS: readonly PersonaInput[] = [
  english('Hurried parent', 'Curt, no punctuation, lower case', 'buys', [PRICE, TIME]),
  english('Careful planner', 'Polite, full sentences', 'buys', [PRICE, TIME, DELIVERY, PAYMENT]),
  english('Friendly couple', 'Warm, with emoji', 'buys', [FRONTS, PRICE, HOURS]),
  english('Wants a person', 'Polite, full sentences', 'asks_for_human', [PRICE]),
  english('Distrusts bots', 'Curt, no punctuation', 'asks_for_human', [TIME, DELIVERY]),
  english('Price hunter', 'Short messages', 'refuses', [PRICE, PAYMENT]),
  english('Only looking', 'Polite', 'refuses', [FRONTS, HOURS]),
  english('Silent reader', 'Short messages', 'falls_silent', [PRICE, TIME]),
  english('Annoyed lead', 'Curt, no punctuation', 'opts_out', [PRICE]),
  russian('Осторожный', 'Вежливо, полными предложениями', 'refuses', [COST, TERM]),
  russian('Решительный', 'Коротко', 'buys', [COST, SHIPPING, OPEN]),
  russian('Молчаливый', 'Коротко', 'falls_silent', [TERM, COST]),
];

/** Faults that the sandbox's model makes by a line of the prompt, and the kind of violation that each has to show. */
export const FAULTS_TO_FIND: readonly (readonly [fault: string, kind: string])[] = [
  ['wrong_currency', 'known_facts'],
  ['wrong_price', 'known_facts'],
  ['invented_discount', 'known_facts'],
  ['invented_link', 'known_facts'],
  ['foreign_language', 'language'],
  ['promises', 'promise'],
  ['ignores_refusal', 'refusal'],
  ['leaks_prompt', 'unusable'],
  ['many_questions', 'max_questions'],
  ['never_hands_over', 'hand_over'],
];

/** Store personas of a product. Returns their ids. */
export async function insertPersonas(
  pool: pg.Pool,
  productId: number,
  list: readonly PersonaInput[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const { name, style, language, goal, questions = [], objections = [], ending } of list) {
    const { rows } = await pool.query<{ id: string }>(
      `insert into studio_personas (product_id, name, style, language, goal, questions, objections, ending)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
      [productId, name, style, language, goal, JSON.stringify(questions), JSON.stringify(objections), ending],
    );
    ids.push(Number(rows[0]?.id));
  }
  return ids;
}
