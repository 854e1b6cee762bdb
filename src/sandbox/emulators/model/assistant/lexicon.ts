/** Words of operators and of tools in English and Russian, brought to common terms: what names a thing, what a deed. */
import { stem } from '../language.ts';

/** Deeds: the beginnings of words that name them; `=` before a word: exactly it. */
const deeds: Readonly<Record<string, string>> = {
  save: 'save saving store keep apply persist =commit сохран примен запомн зафикс запиш',
  reset: 'reset revert discard rollback restore сброс откат верн',
  delete: 'delet remov erase =drop wipe unlink disconnect detach убра убер удал стер сотр стира отвяж отвяз снес',
  create: 'creat build establish =start созда завед заведи сделай построй',
  add: 'add append attach link connect =include =plus добав прибав привяж подключ присоедин',
  change:
    '=set =sets renam chang adjust alter updat choos select pick =put =puts rais lower increas decreas reduc modif configur =use =move =moves =mark измен поменя смен установ постав выстав выбер увелич уменьш повыс пониз задай задать перевед перевест перемест обнов используй переимен назови отметь пометь назнач огранич',
  make: '=make =makes сделай сделат',
  switch: 'switch toggl переключ',
  resume: 'resum unpaus =let =lets возобнов =пусть',
  sync: 'sync синхрон',
  edit: 'edit rewrit rephras reword correct =fix amend редактир отредактир перепиш исправ поправ',
  replace: 'replac =swap overwrit замен',
  open: 'open =go navigat jump =bring откро открой перей перейд зайд',
  show: 'show list display filter narrow =only =order =sort sorts sorting покаж отобраз вывед отсортир отфильтр показыва отбер',
  find: 'find search look =where найд найти поищ ищи отыщ',
  send: 'send =sent отправ пошл послат выслат вышл шли',
  draft: 'draft reply =write =writes compos prepare =fill напиш набросай составь подготов черновик заполн впиш',
  retry: 'retry retri resend repeat повтор переотправ перешл заново',
  skip: 'skip =omit cancel пропус отмен',
  pause: 'paus stop halt suspend freeze останов приостан пауз',
  enable: 'enabl activat включ активир запуст',
  disable: 'disabl deactivat выключ деактив отключ',
  test: 'test check verif =try провер протест испыт опробуй',
  register: 'regist subscrib renew зарегистр регистр подпиш',
  why: 'why =reason reasons explain because почему зачем причин объясн отчего',
  tell: '=tell tells =say says =read reads report =describe скажи расскаж сообщи прочит прочти',
  hand: '=hand hands =give gives transfer =pass assign take-over передай отдай верни-бот возьми забер',
  ask: '=ask asks =question спрос',
  import: 'import загруз импорт',
  undo: 'undo',
};

/** Things. */
const things: Readonly<Record<string, string>> = {
  settings: 'setting config configuration preferenc option настройк конфиг парамет',
  limit: 'limit cap quota лимит огранич',
  day: '=day =days daily день дня дней дне дневн сут',
  telegram: 'telegram =tg телеграм тг',
  whatsapp: 'whatsapp =wa ватсап вотсап вацап whats',
  channel: 'channel канал',
  product: 'product продукт',
  company: 'compan компан',
  schedule: 'schedul timetable расписан график рабоч',
  hours: '=hours',
  list: '=list списк',
  prompt: 'prompt instruction промпт инструкц',
  group: 'group групп',
  message: 'messag сообщен письм',
  first: 'first initial opening перв начальн',
  prepared: 'prepared template canned заготов шаблон готов',
  step: 'step шаг',
  ping: 'ping =followup reminder nudge =followups пинг напомин дожим догоня',
  stage: 'stage стади этап',
  lead: 'lead лид клиент',
  contact: 'contact контакт',
  dialogue: 'dialog conversation chat диалог переписк разговор чат',
  owner: 'owner ownership владел ответственн',
  bot: '=bot =bots бот',
  human: 'human operator manager person colleague человек менеджер оператор коллег сотрудник',
  temperature: 'temperatur creativ температур',
  model: 'model модел нейросет',
  vendor: 'vendor provider вендор провайдер поставщик',
  pipeline: 'pipelin funnel воронк',
  integration: 'integrat интеграц',
  crm: 'crm amo срм црм амо',
  document: 'document doc docs документ',
  delay: 'delay задержк пауз',
  pause_between: 'interval =every =between кажд интервал промежут',
  symbol: 'symbol character символ знак',
  name: 'name renam called title имя имен назван назов зовут',
  zone: 'timezone timezones зон пояс',
  time: 'time врем',
  text: 'text wording текст',
  line: 'line sentence строк предложен фраз',
  expiry: 'expir устар истеч истека протух',
  period: 'period range период',
  page: '=page =pages страниц',
  row: '=row =rows строчк запис',
  error: 'error fail ошибк сбой неудач',
  session: 'session сесси',
  webhook: 'webhook вебхук =hook хук',
  key: '=key =keys credential ключ',
  dashboard: 'dashboard сводк дашборд',
  event: 'event событ',
  run: '=run =runs запуск прогон',
  rehearsal: 'rehears репетиц',
  week: 'week недел',
  month: 'month месяц',
  inbound: 'inbound incoming входящ',
  import_: 'import импорт',
  active: 'active активн',
  status: 'status статус состоян',
  field: 'field поле поля полей',
  question: 'question вопрос',
  next: '=next =upcoming =following следующ ближайш дальше',
  last: 'last latest previous последн прошл',
  success: 'success won succeed успех успеш',
  refused: 'refus declin отказ',
  failed: '=failed провал',
  pending: 'pending waiting ожида',
  ongoing: 'ongoing progress работе',
  ignore: 'ignor игнор',
  started: '=started начат',
  chatgpt: 'chatgpt openai',
  anthropic: 'anthropic claude',
  gemini: 'gemini google',
  chatbot: 'chatbot чатбот',
  classification: 'classif классиф',
  playground: 'playground песочниц',
  link: '=links ссылк',
  number: 'number номер',
  search: 'searchbox',
  order: '=order =sort sorting сортир порядк',
  ascending: 'ascend oldest =asc возраст',
  descending: 'descend newest =desc убыван',
  price: 'pric cost цен стоим',
  budget: 'budget бюджет',
  follow_up: '=follow',
};

/** Said in several words, or written in one: brought to one word before anything is looked up. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bfollow[- ]?ups?\b/giu, ' ping '],
  [/\b(?:put|bring|go|roll) (?:\w+ ){0,3}?back\b(?! to)/giu, ' reset '],
  [/\bcancel (?:all |my |the )*(?:changes|edits)\b/giu, ' reset '],
  [/\b(?:go|goes|going) out\b/giu, ' message '],
  [/\bundo (?:all |my |the )?(?:changes|edits)\b/giu, ' reset '],
  [/\bthrow (?:\w+ ){0,3}?away\b|\bforget (?:the |my )?(?:changes|edits)\b/giu, ' discard '],
  [/(?<!\p{L})отмени(?:ть)? (?:все |мои |эти )?(?:изменения|правки)/giu, ' сбрось '],
  [/\bget rid of\b|\btake (?:\w+ ){0,4}?(?:away|off|down|out)\b/giu, ' remove '],
  [/\b(?:turn|switch) (?:\w+ ){0,5}?off\b|\bturn off\b|\bswitch off\b/giu, '$& disable '],
  [/\b(?:turn|switch) (?:\w+ ){0,5}?on\b|\bturn on\b|\bswitch on\b/giu, '$& enable '],
  [/\bset up\b/giu, ' create '],
  [/\btake over\b/giu, ' hand human '],
  [/\bhand (?:it |this |\w+ )?(?:over|back)\b/giu, ' hand '],
  [/\btime ?zones?\b/giu, ' timezone '],
  [/\bworking hours\b/giu, ' schedule '],
  [/\bgo to\b|\btake me to\b|\bbring me to\b/giu, ' open '],
  [/\btry (?:\w+ ){0,3}?again\b|\bonce more\b|\bsend (?:\w+ ){0,3}?again\b|\bagain\b/giu, ' retry '],
  [/\blook for\b/giu, ' find '],
  [/\bnot? (?:to )?(?:send|write)\b/giu, ' skip '],
  [/\bhow come\b|\bwhat for\b/giu, ' why '],
];

const stops = new Set(
  `a an the new and or but of to in on at for with by from is are was were be been am do does did have has had i you he she it
   we they me my your our their this that these those there here as if then than about into up out any some just also
   please hi hello hey thanks thank can could would will shall should may might not no yes so its him her them us let
   now one want need like get got be too very what which who when how much many all each every after before
   и в во не что он на я с со как а то она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из ему
   теперь когда даже ну ли если уже или ни для мы тебя их чем была это этот эта эти этого этой пожалуйста надо нужно хочу
   можно давай все всё его через до сейчас там тут под при`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

interface Entry {
  readonly concept: string;
  readonly exact: boolean;
  readonly begin: string;
}

function entriesOf(table: Readonly<Record<string, string>>): Entry[] {
  return Object.entries(table).flatMap(([concept, beginnings]) =>
    beginnings.split(' ').map((one) => ({ concept, exact: one.startsWith('='), begin: one.replace('=', '') })),
  );
}

const deedEntries = entriesOf(deeds);
const thingEntries = entriesOf(things);
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

/** What a word may mean: a deed is marked `!`. */
function meaningsOf(word: string): readonly string[] {
  const before = known.get(word);
  if (before) return before;
  const fits = ({ exact, begin }: Entry): boolean => (exact ? word === begin : word.startsWith(begin));
  const deed = deedEntries.filter(fits).toSorted((a, b) => b.begin.length - a.begin.length)[0];
  const thing = thingEntries.filter(fits).toSorted((a, b) => b.begin.length - a.begin.length)[0];
  const found = [...(deed ? [`!${deed.concept}`] : []), ...(thing ? [thing.concept] : [])];
  const meanings = found.length > 0 ? found : stops.has(word) ? [] : [stem(word)];
  if (known.size > MOST_KNOWN) known.clear();
  known.set(word, meanings);
  return meanings;
}

const read = new Map<string, readonly string[]>();
const SHORT = 80;

/** The terms of a text in their order. Names as programs write them count as words. */
export function terms(text: string): readonly string[] {
  if (text.length > SHORT) return termsOf(text);
  const before = read.get(text);
  if (before) return before;
  const found = termsOf(text);
  if (read.size > MOST_KNOWN) read.clear();
  read.set(text, found);
  return found;
}

function termsOf(text: string): string[] {
  let plain = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll('ё', 'е');
  for (const [pattern, word] of phrases) plain = plain.replaceAll(pattern, word);
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap(meaningsOf);
}

export const isDeed = (term: string): boolean => term.startsWith('!');

/** How near two deeds are: 1 the same, 0 nothing to do with each other. */
export function nearness(one: string, other: string): number {
  if (one === other) return 1;
  for (const [first, second, near] of kin) {
    if ((one === `!${first}` && other === `!${second}`) || (one === `!${second}` && other === `!${first}`)) return near;
  }
  return 0;
}

const kin: readonly (readonly [string, string, number])[] = [
  ['create', 'add', 0.8],
  ['make', 'create', 0.8],
  ['make', 'change', 0.9],
  ['make', 'edit', 0.6],
  ['make', 'add', 0.5],
  ['create', 'register', 0.5],
  ['change', 'edit', 0.8],
  ['change', 'replace', 0.6],
  ['edit', 'replace', 0.7],
  ['edit', 'add', 0.45],
  ['edit', 'delete', 0.3],
  ['edit', 'draft', 0.5],
  ['open', 'show', 0.8],
  ['find', 'show', 0.8],
  ['find', 'open', 0.4],
  ['pause', 'disable', 0.8],
  ['pause', 'skip', 0.4],
  ['change', 'enable', 0.6],
  ['change', 'disable', 0.6],
  ['enable', 'disable', 0.5],
  ['change', 'hand', 0.6],
  ['draft', 'send', 0.25],
  ['draft', 'add', 0.3],
  ['draft', 'create', 0.4],
  ['retry', 'send', 0.6],
  ['tell', 'why', 0.7],
  ['tell', 'show', 0.5],
  ['tell', 'find', 0.4],
  ['test', 'tell', 0.6],
  ['send', 'ask', 0.6],
  ['switch', 'enable', 0.95],
  ['switch', 'disable', 0.95],
  ['switch', 'pause', 0.9],
  ['switch', 'change', 0.8],
  ['switch', 'open', 0.4],
  ['resume', 'enable', 0.7],
  ['resume', 'retry', 0.5],
  ['resume', 'send', 0.3],
  ['reset', 'undo', 0.8],
];
