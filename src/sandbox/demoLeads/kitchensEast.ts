/**
 * Leads for kitchens in Russia and Japan; some of them write Russian. All of them are invented, with numbers from
 * unassigned ranges.
 */
import type { DemoLead } from './lead.ts';

export const KITCHENS_EAST: readonly DemoLead[] = [
  {
    name: 'Anna Snegurkina',
    messenger: 'whatsapp',
    contact: '+7 999 100-00-01',
    stage: 'ongoing',
    timezone: 'Europe/Moscow',
    age: 2,
    fields: { city: 'Moscow', budget: 6000, interests: ['oak fronts', 'stone worktop'], source: 'website form' },
    judged: 'The lead compares materials and names days for the measuring',
    talk: [
      {
        daysAgo: 1,
        at: '15:40',
        script: `
bot: Hello Anna! This is Vera of Lindgren Studio. You asked on our website about a kitchen to measure. How long is the wall the kitchen will stand against?
lead: Hi! About 3.5 metres, with a window in the middle
bot: A window in the middle is lovely for the sink. A kitchen costs from 4,200 euros for three metres, worktop included, and an extra metre is 900 euros. Do you have a drawing or a photo of the room?
lead: I'll take a photo tonight`,
      },
      {
        minutesAgo: 12,
        script: `
lead [image]:
lead: here is the wall, please ignore the boxes
bot: Thank you, the light in there is beautiful! Oak fronts would look warm next to it. When would a free measuring suit you?
lead: Is oak more expensive than lacquer?
bot: Fronts in oak, ash and lacquer start at the same price; only an oak worktop adds 300 euros. The designer brings samples of all three. When would a free measuring suit you?
lead: Thursday or Friday, after 17:00
bot: Both are possible. I have noted Thursday at 17:30 for you; the designer calls an hour before. Which address shall I write down?`,
      },
    ],
  },
  {
    name: 'Ольга Небылицына',
    messenger: 'telegram',
    contact: '@olga_nebylitsyna',
    stage: 'ongoing',
    timezone: 'Europe/Moscow',
    age: 1,
    fields: { город: 'Москва', бюджет: 5200 },
    judged: 'Лид спрашивает о цене и сроках, решения пока нет',
    wroteFirst: true,
    talk: [
      {
        minutesAgo: 50,
        script: `
lead: Здравствуйте! Сколько стоит кухня 4 метра?
bot: Здравствуйте, Ольга! Кухня стоит от 4 200 евро за три метра, столешница входит в стоимость; каждый следующий метр — 900 евро. Какой длины стена, у которой будет стоять кухня?
lead: Стена 4 метра 10 см. А сроки какие?
bot: Изготовление занимает от четырёх до шести недель, монтаж — два дня. Есть ли у вас план или фото помещения?
lead [document]:
lead: план БТИ
bot: Спасибо, план получили! По нему дизайнер подготовится заранее. Когда вам удобен бесплатный замер?`,
      },
    ],
  },
  {
    name: 'Пётр Вымыслов',
    messenger: 'whatsapp',
    contact: '8 999 100-00-04',
    stage: 'pending',
    timezone: 'Europe/Moscow',
    age: 9,
    fields: { город: 'Тверь', бюджет: 4500 },
    skipped: true,
    moved: { by: 'classification', reason: 'Лид откладывает решение до начала месяца' },
    talk: [
      {
        daysAgo: 6,
        at: '11:05',
        script: `
bot: Здравствуйте, Пётр! Это Вера из Lindgren Studio. Вы интересовались кухней на заказ. Какой длины стена, у которой будет стоять кухня?
lead: Добрый день, 2.8 м
bot: Отличный размер: всё под рукой. Кухня стоит от 4 200 евро за три метра, столешница входит в стоимость. Когда вам удобен бесплатный замер?
lead: Давайте вернёмся к разговору в начале месяца, надо обсудить с женой
bot: Конечно, не торопитесь. Напишу вам в начале месяца, а если решите раньше, просто ответьте здесь.`,
      },
    ],
  },
  {
    name: 'Kenji Yamabiko',
    messenger: 'telegram',
    contact: '+81 90 0000 0107',
    stage: 'ongoing',
    timezone: 'Asia/Tokyo',
    age: 6,
    fields: { city: 'Kamakura', budget: 8000, wall_m: 2.7 },
    judged: 'The lead asks about warranty and appliances and will draw the room',
    talk: [
      {
        daysAgo: 1,
        at: '12:20',
        script: `
bot: Hello Kenji! This is Vera of Lindgren Studio. You asked about a compact kitchen. How long is the wall the kitchen will stand against?
lead: 2.7 m. What about the warranty?
bot: The warranty is ten years on cabinets and five years on hinges and drawers. Do you have a drawing or a photo of the room?
lead: I will draw it on the weekend. Do you fit any dishwasher?
bot: Yes, we fit appliances of any brand: oven, hob, fridge and dishwasher. When would a free measuring suit you?`,
      },
    ],
  },
  {
    name: 'Boris Samovarov',
    messenger: 'whatsapp',
    contact: '+7 999 100-00-09',
    stage: 'initial',
    timezone: 'Europe/Moscow',
    age: 0.2,
    fields: { city: 'Kazan', budget: 5000, source: 'website form' },
  },
  {
    name: 'Игорь Самоцветов',
    messenger: 'telegram',
    contact: '+7 999 143-00-10',
    stage: 'ongoing',
    timezone: 'Asia/Yekaterinburg',
    age: 3,
    fields: { город: 'Екатеринбург', бюджет: 4800, пожелания: ['ясень', 'остров'] },
    noAnswer:
      'No answer: The model vendor answered 429: You exceeded your current quota, please check your plan and billing details.',
    talk: [
      {
        daysAgo: 1,
        at: '16:15',
        script: `
bot: Здравствуйте, Игорь! Это Вера из Lindgren Studio. Вы спрашивали про кухню с островом. Какой длины стена, у которой будет стоять кухня?
lead: 3.4 м и остров 1.2
bot: Остров на такой кухне встанет удобно. Есть ли у вас план или фото помещения?`,
      },
      {
        minutesAgo: 75,
        script: `
lead: Плана нет, дом только строится. А гарантия у вас какая?
lead: И можно ли оплатить частями?`,
      },
    ],
  },
  {
    name: 'Lada Malakhitova',
    messenger: 'whatsapp',
    contact: '+7 999 143-00-11',
    stage: 'refused',
    timezone: 'Asia/Yekaterinburg',
    age: 12,
    fields: { city: 'Yekaterinburg', budget: 3000 },
    moved: { by: 'classification', reason: 'The lead has ordered elsewhere' },
    talk: [
      {
        daysAgo: 8,
        at: '13:00',
        script: `
bot: Hello Lada! This is Vera of Lindgren Studio. You asked about a kitchen to measure. How long is the wall the kitchen will stand against?
lead: Thanks, but we have ordered elsewhere already, not interested any more
bot: I understand, thank you for telling me. Enjoy the new kitchen! If anything changes, just write here.`,
      },
    ],
  },
  {
    name: 'Зоя Хозяюшкина',
    messenger: 'whatsapp',
    contact: '+7 999 143-00-16',
    stage: 'ongoing',
    timezone: 'Asia/Yekaterinburg',
    age: 11,
    fields: { город: 'Пермь' },
    switchedOff: 'lead',
    talk: [
      {
        daysAgo: 10,
        at: '12:40',
        script: `
bot: Здравствуйте, Зоя! Это Вера из Lindgren Studio. Вы оставляли заявку на кухню. Какой длины стена, у которой будет стоять кухня?
lead: Это была дочь, мне ничего не нужно. Не пишите мне больше`,
      },
    ],
  },
  {
    name: 'Gleb Kotofeev',
    messenger: 'whatsapp',
    contact: '+7 999 100-00-18',
    stage: 'started',
    timezone: 'Europe/Moscow',
    age: 3,
    fields: { city: 'Tula', budget: 5500 },
    talk: [
      {
        daysAgo: 1,
        at: '10:30',
        script: `
bot [unconfirmed: No answer from the vendor: the connection was cut]: Hello Gleb! This is Vera of Lindgren Studio. You asked about a kitchen for your country house. How long is the wall the kitchen will stand against?`,
      },
    ],
  },
];
