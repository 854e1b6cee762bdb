import { describe, expect, it } from 'vitest';
import { isOptOut } from './optOut.ts';

describe('a plain request to stop', () => {
  it.each([
    'Не пишите мне больше',
    'не пишите',
    'Больше не пишите мне, пожалуйста',
    'Пожалуйста, не надо мне больше писать',
    'отпишите меня',
    'Хочу отписаться от рассылки',
    'ОТПИСКА',
    'Отстаньте!',
    'отстань от меня',
    'Отвалите',
    'Оставьте меня в покое',
    'Хватит мне писать!!!',
    'Прекратите присылать',
    'перестаньте спамить',
    'Удалите мой номер из базы',
    'Уберите меня из рассылки',
    'Не беспокойте меня',
    'Стоп',
    'стоп.',
    'STOP',
    ' stop! ',
    'unsubscribe',
    'Please unsubscribe me',
    "Don't text me again",
    'Don’t contact me',
    'do not message me',
    'Please do not write to me any more',
    'stop texting me',
    'Stop messaging, please',
    'Leave me alone!',
    'remove me from your list',
    'Delete my number',
    'Take me off your list',
    'opt out',
    'I want to opt-out',
    'lose my number',
    'How can I reach a human? No, just leave me alone.',
    'Сколько можно? Как вы мне надоели. Не пишите мне!',
    'Delete my data from your base',
    'Не пишите на этот номер',
  ])('%s', (text) => expect(isOptOut(text)).toBe(true));
});

describe('a text that is no such request', () => {
  it.each([
    'Здравствуйте, сколько стоит кухня?',
    'Не пишите завтра утром, лучше вечером',
    'Пишите мне в телеграм',
    'Не забудьте мой номер: 79990000000',
    'Как отписаться от старого оператора связи?',
    'Не отписывайте меня',
    'Стоп, а сколько стоит доставка?',
    'Спам приходит от вас или это вы?',
    'Не переставайте мне писать',
    'Мы не будем писать отзыв',
    'Конец месяца подойдёт?',
    'Stop by the showroom? When are you open?',
    'Can you stop the delivery on Monday?',
    "Don't stop writing to me",
    'Do not write to my office, write to me here',
    'How do I unsubscribe from the paper catalogue?',
    'The end',
    'Please contact me tomorrow',
    'Should I cancel my appointment?',
    'My number is 7900',
    'I would not text while driving',
    "Don't contact me before ten, please",
    'Please delete my data sheet draft and send the new one',
    '',
  ])('%s', (text) => expect(isOptOut(text)).toBe(false));
});

it('checks a hostile text without hanging', () => {
  const startedAt = performance.now();
  isOptOut(`${'не пишите мне больше не '.repeat(2000)}x`);
  isOptOut(`stop sending ${' a'.repeat(5000)}`);
  expect(performance.now() - startedAt).toBeLessThan(200);
});
