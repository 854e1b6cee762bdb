/** Sentences of the demo's history, in English and Russian. `{}` stands for what differs from lead to lead. */
import type { Random } from '../random.ts';
import type { FirstText } from './rates.ts';

/** Variants of one sentence: English, Russian. */
type Variants = readonly [readonly string[], readonly string[]];

const REQUESTS: Variants = [
  [
    'an oak kitchen',
    'a kitchen with an island',
    'a galley kitchen',
    'a kitchen for a loft',
    'lacquer fronts',
    'a stone worktop',
    'a kitchen in ash',
    'a kitchen with a larder',
    'a corner kitchen',
    'a kitchen for a cottage',
  ],
  [
    'кухню из дуба',
    'кухню с островом',
    'угловую кухню',
    'кухню в студию',
    'лаковые фасады',
    'каменную столешницу',
    'кухню из ясеня',
    'маленькую кухню',
  ],
];

const SAID: Readonly<Record<string, Variants>> = {
  opening: [
    [
      'Hello, do you make {}?',
      'Good day! I am looking for {}. How does it work?',
      'Hi, how much would {} cost?',
      'I saw your showroom window. Do you have {}?',
    ],
    [
      'Здравствуйте, вы делаете {}?',
      'Добрый день! Ищу {}. Как это происходит?',
      'Сколько будет стоить {}?',
      'Видел вашу витрину. Есть {}?',
    ],
  ],
  wall: [
    [
      'It is about {} m',
      '{} metres, with a window in the middle',
      'The wall has {} m. How much would that be?',
      'Roughly {} m, I have to measure it again',
      '{} m and a corner. What does it cost?',
      'Hello! {} metres, and the ceiling is low',
    ],
    [
      'Примерно {} м',
      '{} метра, посередине окно',
      'Стена {} м. Сколько это будет стоить?',
      'Где-то {} м, надо перемерить',
      '{} м и угол. Какая цена?',
    ],
  ],
  question: [
    [
      'And how long does it take for {} m?',
      'Is the worktop included?',
      'What about the warranty?',
      'Do you deliver to us? It is {}0 km',
      'Can I pay in parts?',
      'Do you fit my old oven?',
      'Which woods do you have?',
      'Could you take the old kitchen away?',
    ],
    [
      'А сколько ждать?',
      'Столешница входит?',
      'Какая гарантия?',
      'До нас {}0 км, доставите?',
      'Можно в рассрочку?',
      'Мою плиту встроите?',
      'Какое дерево есть?',
    ],
  ],
  agrees: [
    [
      'Good, then let us measure on {}',
      'I agree, please come on {}',
      'Fine, {} suits us. See you then!',
      'Yes, let us do it. {} after five?',
      'We want to order. Can you come on {}?',
    ],
    [
      'Хорошо, давайте замер в {}',
      'Согласна, приезжайте в {}',
      'Подходит, {} нам удобно',
      'Да, заказываем. В {} вечером?',
    ],
  ],
  later: [
    [
      'Let me talk to my family, I will write after {}',
      'It looks good. I need until {} to decide',
      'Can we come back to this after {}?',
    ],
    ['Мне надо посоветоваться, напишу после {}', 'Нравится. Решу после {}', 'Давайте вернёмся к этому после {}'],
  ],
  human: [
    [
      'May I talk to a person?',
      'Could a colleague call me about {}?',
      'I would rather discuss {} with a manager',
      'Is there somebody real here? It is about {}',
    ],
    [
      'Можно поговорить с человеком?',
      'Пусть мне позвонит менеджер, вопрос про {}',
      'Хочу обсудить {} с живым человеком',
    ],
  ],
  optOut: [
    [
      'Please stop messaging me',
      'Unsubscribe me',
      'Do not write to me again',
      'Stop',
      'Remove me from the list. Do not message me',
      'Leave me alone, please',
    ],
    ['Не пишите мне больше', 'Отпишите меня', 'Перестаньте мне писать', 'Уберите меня из базы', 'Стоп'],
  ],
  price: [
    [
      '{} thousand is all we have, so no',
      'Too expensive for us, sorry',
      'That is more than our {} thousand. No, thank you',
    ],
    ['У нас только {} тысячи, нет', 'Для нас дорого, извините', 'Это больше наших {} тысяч, спасибо, нет'],
  ],
  elsewhere: [
    ['We have ordered elsewhere already', 'Thanks, another studio was faster. We ordered {} weeks ago'],
    ['Мы уже заказали в другом месте', 'Спасибо, заказали {} недели назад у других'],
  ],
  postponed: [
    [
      'The renovation is off for now, so nothing',
      'We do not renovate this year after all',
      'No kitchen for us now, the flat is sold in {} months',
    ],
    ['Ремонт отложили, ничего не нужно', 'В этом году ремонта не будет'],
  ],
  far: [
    ['You are {}0 km away, that makes no sense', 'Too far for us, we take somebody local'],
    ['До вас {}0 км, нет смысла', 'Далеко, найдём кого-то рядом'],
  ],
  time: [
    ['Six weeks is too long, we move in {} weeks', 'We cannot wait that long, no thanks'],
    ['Шесть недель — долго, переезжаем через {}', 'Столько ждать не можем'],
  ],
  never: [
    ['I never asked for a kitchen', 'You must have the wrong impression, I wanted no kitchen'],
    ['Я не спрашивал про кухню', 'Мне не нужна кухня, это ошибка'],
  ],
  wrong: [
    ['Wrong number, there is no such person here', 'You have the wrong person'],
    ['Вы ошиблись номером', 'Здесь такого нет'],
  ],
};

const BOT: Readonly<Record<string, Variants>> = {
  price: [
    [
      'For {} m a kitchen costs from {}00 euros, worktop included. When would a free measuring suit you?',
      'With {} m you would be at about {}00 euros. Do you have a drawing or a photo of the room?',
    ],
    [
      'На {} м кухня стоит от {}00 евро со столешницей. Когда вам удобен бесплатный замер?',
      'При {} м выйдет около {}00 евро. Есть ли у вас план или фото помещения?',
    ],
  ],
  fact: [
    [
      'The warranty is ten years on cabinets and five years on hinges and drawers. When would a measuring suit you?',
      'Production takes four to six weeks, fitting takes two days. Do you have a photo of the room?',
      'You can pay by card or by invoice, in three parts without interest. Shall we measure the room?',
      'We fit appliances of any brand: oven, hob, fridge and dishwasher. Which ones do you keep?',
      'Delivery is included within 100 km; farther away it is 1 euro per kilometre.',
    ],
    [
      'Гарантия — десять лет на корпуса и пять лет на фурнитуру. Когда удобен замер?',
      'Изготовление занимает от четырёх до шести недель. Есть ли фото помещения?',
      'Оплатить можно картой или по счёту, в три части без процентов. Сделаем замер?',
      'Встраиваем технику любой марки. Что у вас уже есть?',
    ],
  ],
  bye: [
    [
      'I understand, thank you for telling me. If anything changes, just write here.',
      'Thank you for your answer, {}. All the best with your home!',
    ],
    ['Понимаю, спасибо за ответ. Если что-то изменится, просто напишите.', 'Спасибо, {}. Всего доброго!'],
  ],
  wait: [
    ['Of course, {}. Take your time, the offer stays as it is.', 'Gladly. I keep the two designs ready for you.'],
    ['Конечно, {}. Предложение остаётся в силе.', 'С удовольствием, эскизы будут ждать вас.'],
  ],
  handOver: [
    ['One moment please, a colleague will answer you here.'],
    ['One moment please, a colleague will answer you here.'],
  ],
};

const OPERATOR: Readonly<Record<string, Variants>> = {
  deal: [
    [
      'Hello {}, I have noted the measuring. Our designer calls an hour before.',
      'Good news, {}: the date is free. I send you the confirmation today.',
      '{}, this is the studio. The craftsman comes as you wished; please clear the wall.',
    ],
    ['{}, замер записан. Дизайнер позвонит за час.', 'Здравствуйте, {}! Дата свободна, пришлю подтверждение сегодня.'],
  ],
  human: [
    [
      'Hello {}, I read your messages. What would you like to know?',
      '{}, a person now. Shall I call you this afternoon?',
    ],
    ['Здравствуйте, {}, я прочитала переписку. Что вам подсказать?', '{}, на связи человек. Позвонить вам сегодня?'],
  ],
};

const FIRST: Readonly<Record<FirstText, (name: string, request: string, isRussian: boolean) => string>> = {
  former: (name, _request, isRussian) =>
    isRussian
      ? `Здравствуйте, ${name}! Это Вера из Lindgren Studio. Мы делаем кухни на заказ, от первого эскиза до последней ручки. Можно рассказать подробнее?`
      : `Hello ${name}! This is Vera of Lindgren Studio. We make kitchens to measure, from the first drawing to the last handle. May I tell you more?`,
  first: (name, request, isRussian) =>
    isRussian
      ? `Здравствуйте, ${name}! Это Вера из Lindgren Studio. Вы спрашивали про ${request}. Какой длины стена, у которой будет стоять кухня?`
      : `Hello ${name}! This is Vera of Lindgren Studio. You asked about ${request}. How long is the wall the kitchen will stand against?`,
  fair: (name, _request, isRussian) =>
    isRussian
      ? `Добрый день, ${name}! Мы виделись на выставке, и вам понравилась одна из кухонь. Прислать эскизы?`
      : `Good day, ${name}! We met at the home fair, and you liked one of our kitchens. Shall I send you the drawings?`,
};

const FOLLOW_UPS = [
  (name: string, request: string) =>
    `${name}, is ${request} still on your mind? Our designer measures the room for free and prepares two designs. When would it suit you?`,
  (name: string, request: string) =>
    `${name}, one more thing about ${request}: the designer brings samples of all fronts to the measuring. Shall I keep a date for you?`,
  (name: string) =>
    `${name}, I do not want to fill your inbox, so this is my last message for now. If the kitchen comes up again, just write here.`,
];

/** The words of one lead and of those who write to it. */
export function createTexts(random: Random, { firstName, isRussian }: { firstName: string; isRussian: boolean }) {
  const choose = (variants: Variants | undefined): string => random.pick(variants?.[isRussian ? 1 : 0] ?? ['']);
  const request = choose(REQUESTS);
  const metres = (random.integer(21, 58) / 10).toFixed(1);
  const price = String(42 + Math.round((Number(metres) - 3) * 9) + random.integer(0, 6));
  const fill = (text: string, values: readonly string[]): string => {
    let place = 0;
    return text.replaceAll('{}', () => values[place++] ?? values.at(-1) ?? '');
  };
  const days = isRussian ? ['среду', 'четверг', 'пятницу', 'субботу'] : ['Tuesday', 'Thursday', 'Friday', 'Saturday'];
  return {
    request,
    first: (kind: FirstText) => FIRST[kind](firstName, request, isRussian),
    followUp: (step: number) => FOLLOW_UPS[step - 1]?.(firstName, isRussian ? 'the kitchen' : request) ?? '',
    lead(kind: string): string {
      const values: Readonly<Record<string, string>> = {
        opening: request,
        wall: metres,
        agrees: random.pick(days),
        later: random.pick(days),
        human: request,
      };
      return fill(choose(SAID[kind]), [values[kind] ?? String(random.integer(3, 9))]);
    },
    bot: (kind: string): string => fill(choose(BOT[kind]), kind === 'price' ? [metres, price] : [firstName]),
    operator: (kind: string): string => fill(choose(OPERATOR[kind]), [firstName]),
  };
}
export type Texts = ReturnType<typeof createTexts>;
