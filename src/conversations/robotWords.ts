/**
 * What automatic replies say, by language (ISO 639-1), as patterns. `plain`: a text that says so is one. `hints`: two
 * different ones make it one, since people say one of them too.
 */
interface AutoReplyWords {
  readonly plain: readonly string[];
  readonly hints: readonly string[];
}

export const AUTO_REPLIES: Readonly<Record<string, AutoReplyWords>> = {
  en: {
    plain: [
      'auto(?:matic|mated)?[ -]?(?:reply|response|responder)',
      'automated (?:message|reply|response|system)',
      'do not reply to this message',
      'i am (?:a|an|your) (?:virtual|automated|digital) (?:assistant|bot)',
      'virtual assistant',
    ],
    hints: [
      'thank(?:s| you)(?: very much)? for (?:contacting|reaching out|getting in touch|messaging|writing|your (?:message|inquiry|enquiry|email|request|interest))',
      "(?:we|i)(?: have|'ve|’ve)? (?:successfully )?received your (?:message|inquiry|enquiry|request|email)",
      "(?:will|'ll|’ll) (?:get back|respond|reply|answer|be in touch|contact|write)(?: to)?(?: you| with you| your)?",
      'as soon as (?:possible|we can|i can)|shortly|within \\d+ (?:hours?|minutes?|business days?)',
      '(?:currently|at the moment|right now|now) (?:closed|unavailable|away|not available|out of)|(?:unavailable|away|not available|closed) (?:right now|at the moment|currently)|out of (?:the )?office',
      '(?:business|working|opening|office) hours',
      'how (?:can|may) we (?:help|assist) you|how we (?:can|may) (?:help|assist) you',
      'your (?:ticket|request|case) (?:number|id|no)\\b|ticket #',
    ],
  },
  ru: {
    plain: [
      'автоматическ(?:ий|ое) (?:ответ|сообщение)',
      'автоответ',
      'автоответчик',
      'не отвечайте на это сообщение',
      'я (?:виртуальный|чат|автоматический)[ -]?(?:помощник|ассистент|бот)',
      'виртуальный (?:помощник|ассистент)',
    ],
    hints: [
      '(?:спасибо|благодарим) за (?:обращение|сообщение|ваше (?:обращение|сообщение)|заявку|интерес|ожидание)|спасибо,? что (?:обратились|написали)|благодарим,? что',
      '(?:мы )?(?:получили|приняли) ваш[еу]? (?:сообщение|обращение|заявку|запрос)|ваш[еа]? (?:сообщение|обращение|заявка|запрос) (?:принят[оа]?|получен[оа]?|зарегистрирован[оа]?)',
      '(?:ответим|свяжемся|свяжется|ответит|перезвоним|вернемся|напишем|отвечу|свяжусь)',
      'в (?:ближайшее время|течение \\d+)|как можно (?:скорее|быстрее)|в рабочее время',
      '(?:сейчас|в данный момент|временно|на данный момент)[^.!]{0,30}(?:недоступ|не работаем|нерабочее|отсутству|не на связи|закрыт|занят)|нерабочее время|в отпуске',
      '(?:режим|график|время|часы) работы|рабочие часы|работаем с ',
      'чем (?:мы )?(?:можем|могу) (?:вам )?помочь',
      'номер (?:обращения|заявки|тикета)',
    ],
  },
  uk: {
    plain: ['автоматичн(?:а|е) (?:відповідь|повідомлення)', 'автовідповід', 'віртуальний (?:помічник|асистент)'],
    hints: [
      'дякуємо за (?:звернення|повідомлення|ваше|заявку)|дякуємо,? що (?:звернулися|написали)',
      '(?:отримали|прийняли) ваш[еу]? (?:повідомлення|звернення|заявку|запит)',
      "(?:відповімо|зв['’]яжемося|зв['’]яжеться|напишемо)",
      'найближчим часом|протягом \\d+|якнайшвидше',
      '(?:наразі|зараз|в даний момент)[^.!]{0,30}(?:недоступ|не працюємо|неробоч|зачинен)|неробочий час|у відпустці',
      '(?:графік|години|час) роботи',
    ],
  },
  kk: {
    plain: ['автоматты (?:жауап|хабарлама)', 'автожауап', 'виртуалды көмекші'],
    hints: [
      '(?:хабарласқаныңыз|жазғаныңыз|хабарламаңыз|өтінішіңіз)(?:ға| үшін)? ?(?:рахмет|рақмет|алғыс)',
      '(?:хабарламаңыз|өтініміңіз|өтінішіңіз)[^.!]{0,20}(?:қабылданды|алдық)',
      '(?:жауап береміз|хабарласамыз|хабарласады)',
      'жақын арада|жуық арада|жақын уақытта',
      'жұмыс (?:уақыты|кестесі)|жұмыс істемейміз',
    ],
  },
  de: {
    plain: [
      'automatische (?:antwort|nachricht)',
      'abwesenheitsnotiz',
      'automatisch (?:generiert|erstellt|versendet)',
      'virtueller? assistent',
    ],
    hints: [
      '(?:vielen |herzlichen )?dank für (?:ihre|deine|die) (?:nachricht|anfrage|mitteilung|kontaktaufnahme|mail)|danke,? dass sie uns',
      'wir haben ihre (?:nachricht|anfrage) (?:erhalten|bekommen)|ihre (?:nachricht|anfrage) ist (?:bei uns )?eingegangen',
      '(?:melden uns|melde mich|antworten(?: ihnen)?|setzen uns|kommen auf sie)',
      'so (?:schnell|bald) wie möglich|schnellstmöglich|in kürze|umgehend|innerhalb von \\d+',
      '(?:derzeit|momentan|zurzeit|aktuell)[^.!]{0,30}(?:nicht (?:erreichbar|verfügbar|im büro|da)|geschlossen|abwesend)|außer haus|im urlaub',
      '(?:öffnungs|geschäfts|büro|service)zeiten',
    ],
  },
  es: {
    plain: ['respuesta automática', 'mensaje automático', 'respuesta automatica', 'asistente virtual'],
    hints: [
      'gracias por (?:contactar|contactarnos|comunicar|comunicarse|escribir|escribirnos|su mensaje|tu mensaje|ponerte|su consulta)',
      '(?:hemos recibido|recibimos) (?:su|tu) (?:mensaje|consulta|solicitud)',
      '(?:le|te) (?:responderemos|contactaremos|atenderemos|contestaremos)|(?:responderemos|contestaremos|nos (?:comunicaremos|pondremos))',
      'lo antes posible|a la brevedad|en breve|en las próximas',
      '(?:en este momento|actualmente|ahora)[^.!]{0,30}(?:no (?:estamos|podemos|nos encontramos)|cerrad|fuera)|fuera de (?:la oficina|horario)',
      'horario (?:de atención|laboral|comercial|es)',
      'en qué podemos ayudar',
    ],
  },
  pt: {
    plain: ['resposta automática', 'mensagem automática', 'assistente virtual'],
    hints: [
      '(?:obrigad[oa]|agradecemos)(?: por| pelo| pela| o| a)? (?:entrar em contato|seu contato|contato|sua mensagem|a sua mensagem|o contato|nos contatar|escrever)',
      '(?:recebemos|já recebemos) (?:a )?sua (?:mensagem|solicitação)',
      '(?:responderemos|retornaremos|entraremos em contato|iremos responder|vamos responder)',
      'o mais (?:breve|rápido) possível|em breve|assim que possível|logo que possível',
      '(?:no momento|neste momento|agora)[^.!]{0,30}(?:não (?:estamos|podemos)|fechad|ausent|indispon)|fora do (?:escritório|horário)',
      'horário de (?:atendimento|funcionamento)',
      'como podemos (?:te |lhe )?ajudar',
    ],
  },
  fr: {
    plain: ['réponse automatique', 'message automatique', 'assistant virtuel', "message d['’]absence"],
    hints: [
      "merci (?:de nous avoir contacté|de nous contacter|pour votre message|de votre message|pour votre demande|d[’']avoir contacté)",
      'nous avons bien reçu votre (?:message|demande)|votre (?:message|demande) a bien été',
      '(?:vous répondrons|répondrons|reviendrons vers vous|reviens vers vous|vous recontacterons|vous contacterons)',
      'dans les (?:plus brefs délais|meilleurs délais)|dès que possible|au plus vite|sous \\d+',
      '(?:actuellement|en ce moment|pour le moment)[^.!]{0,30}(?:indisponible|absent|fermé|pas disponible)|absent du bureau|en congé',
      "(?:horaires|heures) d['’]ouverture",
      'comment pouvons-nous vous aider',
    ],
  },
  he: {
    plain: ['מענה אוטומטי', 'הודעה אוטומטית', 'תשובה אוטומטית', 'עוזר וירטואלי'],
    hints: [
      'תודה (?:על פנייתך|על פנייתכם|שפנית|שפניתם|על הודעתך|על הפנייה)',
      '(?:קיבלנו את|התקבלה) ?(?:הודעתך|פנייתך|ההודעה|הפנייה)?',
      '(?:נחזור אליך|נחזור אליכם|ניצור (?:איתך|עמך) קשר|נשיב)',
      'בהקדם(?: האפשרי)?|בשעות הקרובות',
      'שעות (?:הפעילות|הפתיחה|העבודה)|איננו זמינים|לא זמינים|מחוץ למשרד',
    ],
  },
  ar: {
    plain: ['رد (?:تلقائي|آلي)', 'رسالة (?:تلقائية|آلية)', 'مساعد افتراضي'],
    hints: [
      'شكر[اًا]* (?:لتواصلك|لتواصلكم|على تواصلك|على تواصلكم|لرسالتك|لمراسلتنا|لاتصالك)',
      '(?:لقد )?(?:تلقينا|استلمنا|تم استلام) (?:رسالتك|رسالتكم|طلبك)',
      '(?:سنرد|سنقوم بالرد|سنتواصل|سيتم الرد|سوف نرد)',
      'في (?:أقرب|اقرب) وقت|قريب[اًا]*|خلال \\d+',
      '(?:ساعات|أوقات|اوقات) (?:العمل|الدوام)|غير متاح|خارج (?:المكتب|أوقات)',
    ],
  },
  it: {
    plain: ['risposta automatica', 'messaggio automatico', 'assistente virtuale'],
    hints: [
      'grazie per (?:averci contattat|averci scritto|il (?:suo|tuo) messaggio|la (?:sua|tua) (?:richiesta|mail))',
      'abbiamo ricevuto (?:il|la) (?:suo|tuo|sua|tua) (?:messaggio|richiesta)',
      '(?:risponderemo|ricontatteremo|contatteremo|le risponderemo|ti risponderemo)',
      'il prima possibile|al più presto|appena possibile|entro \\d+',
      '(?:al momento|attualmente|ora)[^.!]{0,30}(?:non (?:siamo|sono) (?:disponibil|raggiungibil|in)|chius)|fuori (?:ufficio|sede)',
      'orari(?:o)? di (?:apertura|lavoro|ufficio)',
      'come possiamo aiutar',
    ],
  },
  pl: {
    plain: [
      'automatyczna (?:odpowiedź|wiadomość)',
      'odpowiedź automatyczna',
      'wiadomość (?:została )?wygenerowana automatycznie',
      'wirtualny asystent',
    ],
    hints: [
      'dziękujemy za (?:kontakt|wiadomość|zgłoszenie|zapytanie)',
      '(?:otrzymaliśmy|przyjęliśmy) (?:twoją|państwa|twoje) (?:wiadomość|zgłoszenie|zapytanie)',
      '(?:odpowiemy|skontaktujemy się|odezwiemy się|odpiszemy)',
      '(?:jak najszybciej|najszybciej|wkrótce|niebawem|w ciągu \\d+)',
      '(?:obecnie|w tej chwili|teraz|aktualnie)[^.!]{0,30}(?:niedostępn|nieobecn|zamknięt|nie ma)|poza biurem|na urlopie',
      'godzin(?:y|ach) (?:pracy|otwarcia)',
    ],
  },
  tr: {
    plain: ['otomatik (?:yanıt|cevap|mesaj)', 'sanal asistan'],
    hints: [
      '(?:bizimle )?iletişime geçtiğiniz için|mesajınız için teşekkür|bize (?:ulaştığınız|yazdığınız) için',
      '(?:mesajınızı|talebinizi) aldık|(?:mesajınız|talebiniz) (?:alındı|bize ulaştı)',
      '(?:dönüş yapacağız|yanıt vereceğiz|cevap vereceğiz|size döneceğiz|iletişime geçeceğiz)',
      'en kısa (?:sürede|zamanda)|kısa süre içinde',
      '(?:şu an|şu anda)[^.!]{0,30}(?:müsait değil|hizmet veremiyoruz|kapalı|ofis dışında)',
      '(?:çalışma|mesai) saat',
    ],
  },
};
