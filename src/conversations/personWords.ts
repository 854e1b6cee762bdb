/** What only a person says to another program, as patterns; accents do not count. */

/** Whom a person still has to ask, by language. Colleagues are not meant: notes of absence name them. */
export const PERSONAL_REASONS: Readonly<Record<string, readonly string[]>> = {
  en: [
    '\\bmy (?:husband|wife|boyfriend|girlfriend|mother|mom|mum|father|dad|parents|brother|sister|son|daughter|kids|family)\\b',
    '(?:ask|talk to|talk with|speak to|speak with|check with|consult) my (?:boss|chef|partner|lawyer|accountant|doctor)',
  ],
  ru: [
    '(?:с|у) (?:мужем|мужа|женой|жены|мамой|мамы|папой|папы|родителями|родителей|братом|сестрой|сыном|дочкой|дочерью|семьей|начальником|начальника|шефом|шефа)(?!\\p{L})',
    '(?:посоветуюсь|поговорю|обсужу|посоветоваться|поговорить) с (?:мои|своими|своим|моим|моей|своей|муж|жен)',
  ],
  uk: ['(?:з|із|у) (?:чоловіком|чоловіка|дружиною|дружини|мамою|мами|татом|батьками|сином|донькою)(?!\\p{L})'],
  kk: ['(?:күйеуім|әйелім|анам|әкем|ата-анам)'],
  de: [
    'mein(?:e|em|er|en)? (?:mann|frau|freund|freundin|mutter|vater|eltern|bruder|schwester|sohn|tochter|familie)(?!\\p{L})',
    'mit mein(?:em|er|en) (?!kolleg)\\p{L}+ (?:noch )?(?:reden|sprechen|besprechen|abklären|klären|abstimmen)',
  ],
  es: [
    'mi (?:marido|esposo|esposa|mujer|novio|novia|madre|mamá|padre|papá|hijo|hija|hermano|hermana|familia)(?!\\p{L})',
    '(?:hablar|hablarlo|consultar|consultarlo|preguntar) (?:con|a) mi ',
  ],
  pt: [
    '(?:meu|minha) (?:marido|esposo|esposa|mulher|namorado|namorada|mãe|pai|filho|filha|irmão|irmã|família)(?!\\p{L})',
    '(?:falar|conversar) com (?:o )?(?:meu|minha) ',
  ],
  fr: [
    '(?:mon|ma|mes) (?:mari|femme|copain|copine|mère|père|parents|fils|fille|frère|sœur|soeur|famille)(?!\\p{L})',
    '(?:voir|parler|discuter) avec (?:mon|ma|mes) ',
  ],
  it: [
    '(?:mio|mia|miei) (?:marito|moglie|fidanzato|fidanzata|madre|mamma|padre|papà|figlio|figlia|fratello|sorella|famiglia|genitori)(?!\\p{L})',
    '(?:parlare|parlarne|sentire) (?:con )?(?:il mio|la mia|mio|mia) ',
  ],
  pl: ['(?:moim|mojego|mężem|męża|żoną|żony|mamą|tatą|rodzicami|szefem|szefa)(?!\\p{L})'],
  tr: ['(?:eşim|kocam|karım|annem|babam|ailem|patronum)'],
  he: ['(?:עם|את) (?:בעלי|אשתי|אמא שלי|אבא שלי|ההורים שלי|הבוס שלי)'],
  ar: ['(?:زوجي|زوجتي|أمي|امي|أبي|ابي|والدي|والدتي|مديري)'],
  nl: [
    'mijn (?:man|vrouw|vriend|vriendin|moeder|vader|ouders|broer|zus|zoon|dochter|gezin)(?!\\p{L})',
    'met mijn (?!collega)\\p{L}+ (?:overleggen|bespreken|praten)',
  ],
  cs: ['(?:s|se) (?:manželem|manželkou|mužem|ženou|přítelem|přítelkyní|mámou|tátou|rodiči|šéfem)(?!\\p{L})'],
  ro: [
    '(?:soțul|soția|mama|tatăl|părinții|prietenul|prietena|șeful) (?:meu|mea|mei)',
    'cu (?:soțul|soția|șeful|familia)(?!\\p{L})',
  ],
};

/** How one speaks of a program: one asks for a person rather than it, or reports what it has sent. */
export const SPEAKS_OF_PROGRAM: readonly string[] = [
  '(?:real|actual|live) (?:person|human)|or (?:a )?(?:person|human)',
  '(?:жив(?:ой|ого|ым|ому)|реальн(?:ый|ого|ым|ому)|настоящ(?:ий|его|им|ему)) (?:человек|оператор|менеджер)|или (?:человек|оператор|менеджер)',
  '(?:жива|живу|реальна|живою) (?:людин|особ)|чи (?:людина|оператор)',
  'ech(?:ter|te|ten|tem) (?:mensch|person)|oder (?:ein )?(?:mensch|person)',
  'persona (?:real|de verdad)|o (?:una |es )?persona',
  'pessoa (?:real|de verdade)|ou (?:uma |é )?pessoa',
  'vraie personne|(?:vrai|véritable) humain|ou (?:une |un )?(?:personne|humain)',
  'persona (?:reale|vera)|o (?:una )?persona',
  '(?:prawdziw|żyw)\\p{L}* (?:człowiek|osob)|czy (?:człowiek|osoba)',
  'gerçek (?:bir )?(?:kişi|insan)',
  'ech(?:t|te) (?:mens|persoon)|of (?:een )?(?:mens|persoon)',
  '(?:skutečn|živ)\\p{L}* (?:člověk|osob)|nebo (?:člověk|osoba)',
  'persoană (?:reală|adevărată)|sau (?:o )?(?:persoană|om)',
  "i (?:got|received|have received|keep getting) |мне (?:пришло|пришел|приходит|приходят) |ich habe [^.!]{0,30}(?:erhalten|bekommen)|me (?:llegó|ha llegado) |recebi |j[’']ai reçu |ho ricevuto |dosta[łl]am ",
  'בן אדם|אדם אמיתי',
  'شخص حقيقي|إنسان حقيقي',
];
