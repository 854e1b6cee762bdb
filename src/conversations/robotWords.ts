/**
 * What automatic replies say, by language (ISO 639-1), as patterns; accents do not count. `plain`: a text that says so is
 * one. `hints`, and `offers` of help: two different ones make it one, since people say one of them too. A promise to answer
 * is a hint only of several people or of nobody in particular: 'I will get back to you soon' is what a person writes.
 */
interface AutoReplyWords {
  readonly plain: readonly string[];
  readonly hints: readonly string[];
  readonly offers: readonly string[];
}

export const AUTO_REPLIES: Readonly<Record<string, AutoReplyWords>> = {
  en: {
    plain: [
      'auto(?:matic|mated)?[ -]?(?:reply|response|responder)',
      'automated (?:message|reply|response|system)',
      '(?:message|e-?mail|reply|response) (?:was|is|has been) (?:sent|generated|created) automatically|(?:^|[([])(?:sent|generated) automatically|automatically (?:sent|generated) (?:message|reply|response)',
      'outside (?:of )?our (?:business|working|opening|office) hours',
      'do not reply to this message',
      'i am (?:a|an|your) (?:virtual|automated|digital) (?:assistant|bot)',
      'virtual assistant',
    ],
    hints: [
      'thank(?:s| you)(?: very much)? for (?:contacting|reaching out|getting in touch|messaging|writing|your (?:message|inquiry|enquiry|email|request|interest))',
      "(?:we|i)(?: have|'ve|’ve)? (?:successfully )?received your (?:message|inquiry|enquiry|request|email)",
      "(?:(?<!^|\\bi |, )will|(?<!\\bi)['’]ll) (?:get back|respond|reply|answer|be in touch|contact|write)(?: to)?(?: you| with you| your)?",
      'as soon as (?:possible|we can|i can)|shortly|within \\d+ (?:hours?|minutes?|business days?)',
      '(?:currently|at the moment|right now|now) (?:closed|unavailable|away|not available|out of)|(?:unavailable|away|not available|closed) (?:right now|at the moment|currently)|out of (?:the )?office|on (?:annual leave|vacation|holiday) (?:until|till|from)',
      '(?:business|working|opening|office) hours',
      'your (?:ticket|request|case) (?:number|id|no)\\b|ticket #',
      'in (?:urgent|emergency) cases|for urgent (?:matters|questions|inquiries|enquiries|issues)|if (?:it|this|your \\p{L}+) is urgent',
    ],
    offers: [
      'how (?:can|may) (?:we|i) (?:help|assist) you|how we (?:can|may) (?:help|assist) you',
      '(?:hello|hi|hey)[^.!?]{0,20} welcome to |^welcome to ',
    ],
  },
  ru: {
    plain: [
      'автоматическ(?:ий|ое) (?:ответ|сообщение)',
      'автоответ',
      'автоответчик',
      'не отвечайте на это сообщение',
      '(?:сообщение|ответ|письмо) (?:было )?(?:отправлено|отправлен|создано|сформировано) автоматически|[([](?:отправлено|создано) автоматически',
      'я бот[ -](?:помощник|ассистент|консультант)|бот-(?:помощник|ассистент|консультант)',
      'я (?:виртуальный|чат|автоматический)[ -]?(?:помощник|ассистент|бот)',
      'виртуальный (?:помощник|ассистент)',
    ],
    hints: [
      '(?:спасибо|благодарим) за (?:обращение|сообщение|ваше (?:обращение|сообщение)|заявку|интерес|ожидание)|спасибо,? что (?:обратились|написали)|благодарим,? что',
      '(?:мы )?(?:получили|приняли) ваш[еу]? (?:сообщение|обращение|заявку|запрос)|ваш[еа]? (?:сообщение|обращение|заявка|запрос) (?:принят[оа]?|получен[оа]?|зарегистрирован[оа]?)',
      '(?:ответим|свяжемся|свяжется|ответит|перезвоним|вернемся|напишем)',
      'в (?:ближайшее время|течение \\d+)|как можно (?:скорее|быстрее)|в рабочее время',
      '(?:сейчас|в данный момент|временно|на данный момент)[^.!]{0,30}(?:недоступ|не работаем|нерабочее|отсутству|не на связи|закрыт|занят)|нерабочее время|в отпуске',
      '(?:режим|график|время|часы) работы|рабочие часы|работаем с ',
      'номер (?:обращения|заявки|тикета)',
      'по (?:всем )?(?:срочным|неотложным) вопросам|в (?:срочных|экстренных) случаях',
      'выберите (?:пункт|раздел|вариант|цифру|номер)|нажмите (?:цифру )?\\d|отправьте (?:цифру|номер пункта)',
    ],
    offers: ['чем (?:мы )?(?:можем|могу) (?:вам )?помочь', 'добро пожаловать (?:в|на) |вас приветствует '],
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
      '(?:з|із) (?:усіх )?(?:термінових|невідкладних) питань|у термінових випадках',
    ],
    offers: ['чим (?:ми )?(?:можемо|можу) (?:вам )?допомогти', 'ласкаво просимо (?:до|в|на) |вас вітає '],
  },
  kk: {
    plain: ['автоматты (?:жауап|хабарлама)', 'автожауап', 'виртуалды көмекші'],
    hints: [
      '(?:хабарласқаныңыз|жазғаныңыз|хабарламаңыз|өтінішіңіз)(?:ға| үшін)? ?(?:рахмет|рақмет|алғыс)',
      '(?:хабарламаңыз|өтініміңіз|өтінішіңіз)[^.!]{0,20}(?:қабылданды|алдық)',
      '(?:жауап береміз|хабарласамыз|хабарласады)',
      'жақын арада|жуық арада|жақын уақытта',
      'жұмыс (?:уақыты|кестесі)|жұмыс істемейміз',
      'шұғыл (?:сұрақтар|жағдай)',
    ],
    offers: ['қалай көмектесе аламы[зн]|қандай көмек керек', 'қош келдіңіз'],
  },
  de: {
    plain: [
      'automatische (?:antwort|nachricht)',
      'abwesenheitsnotiz',
      'automatisch (?:generiert|erstellt|versendet)',
      'virtueller? assistent',
      'au(?:ß|ss)erhalb unserer (?:öffnungs|geschäfts|büro|service)zeiten',
    ],
    hints: [
      'danke? für (?:ihre|deine|die) (?:nachricht|anfrage|mitteilung|kontaktaufnahme|mail)|danke,? dass (?:sie|du) uns',
      'wir haben ihre (?:nachricht|anfrage) (?:erhalten|bekommen)|ihre (?:nachricht|anfrage) ist (?:bei uns )?eingegangen',
      '(?:melden uns|antworten(?: ihnen)?|setzen uns|kommen auf sie)|wird sich[^.!]{0,40} (?:melden|bei ihnen|mit ihnen)|meldet sich[^.!]{0,20} bei ihnen',
      'so (?:schnell|bald) wie möglich|schnellstmöglich|in kürze|umgehend|innerhalb von \\d+',
      '(?:derzeit|momentan|zurzeit|aktuell)[^.!]{0,30}(?:nicht (?:erreichbar|verfügbar|im büro|da)|geschlossen|abwesend)|außer haus|im urlaub',
      '(?:öffnungs|geschäfts|büro|service)zeiten',
      '(?:in|bei) (?:dringenden|dringlichen) (?:fällen|anliegen|fragen|angelegenheiten)',
    ],
    offers: ['willkommen (?:bei|im|in der) ', 'wie (?:können wir|kann ich) (?:ihnen|dir|euch) (?:weiter)?helfen'],
  },
  es: {
    plain: [
      'respuesta automática',
      'mensaje automático',
      'enviado automáticamente',
      'asistente virtual',
      'fuera de nuestro horario',
    ],
    hints: [
      'gracias por (?:contactar|contactarnos|comunicar|comunicarse|escribir|escribirnos|su mensaje|tu mensaje|ponerte|su consulta)',
      '(?:hemos recibido|recibimos) (?:su|tu) (?:mensaje|consulta|solicitud)',
      '(?:le|te) (?:responderemos|contactaremos|atenderemos|contestaremos)|(?:responderemos|contestaremos|nos (?:comunicaremos|pondremos))',
      'lo antes posible|a la brevedad|en breve|en las próximas',
      '(?:en este momento|actualmente|ahora)[^.!]{0,30}(?:no (?:estamos|podemos|nos encontramos)|cerrad|fuera)|fuera de (?:la oficina|horario)',
      'horario (?:de atención|laboral|comercial|es)',
      'en caso de (?:urgencia|emergencia)|para asuntos urgentes|si es urgente',
      'de vacaciones hasta',
    ],
    offers: ['en qué (?:podemos|puedo) (?:ayudar|servir)|cómo podemos ayudar', 'bienvenid[oa]s? a '],
  },
  pt: {
    plain: [
      'resposta automática',
      'mensagem automática',
      'enviad[ao] automaticamente',
      'assistente virtual',
      'fora do nosso horário',
    ],
    hints: [
      '(?:obrigad[oa]|agradecemos)(?: por| pelo| pela| o| a)? (?:entrar em contato|seu contato|contato|sua mensagem|a sua mensagem|o contato|nos contatar|escrever)',
      '(?:recebemos|já recebemos) (?:a )?sua (?:mensagem|solicitação)',
      '(?:responderemos|retornaremos|entraremos em contato|iremos responder|vamos responder)',
      'o mais (?:breve|rápido) possível|em breve|assim que possível|logo que possível',
      '(?:no momento|neste momento|agora)[^.!]{0,30}(?:não (?:estamos|podemos)|fechad|ausent|indispon)|fora do (?:escritório|horário)',
      'horário de (?:atendimento|funcionamento)',
      'em caso de (?:urgência|emergência)|para assuntos urgentes',
      'de férias até',
    ],
    offers: [
      'como (?:podemos|posso) (?:te |lhe |o |a )?ajudar|em que (?:podemos|posso) ajudar',
      'bem[- ]vind[oa]s? (?:à|ao|a) ',
    ],
  },
  fr: {
    plain: [
      'réponse automatique',
      'message automatique',
      'envoyé automatiquement',
      'assistant virtuel',
      "message d['’]absence",
      'en dehors de nos (?:heures|horaires)',
    ],
    hints: [
      "merci (?:de nous avoir contacté|de nous contacter|pour votre message|de votre message|pour votre demande|d[’']avoir contacté)",
      'nous avons bien reçu votre (?:message|demande)|votre (?:message|demande) a bien été',
      '(?:vous répondrons|répondrons|reviendrons vers vous|reviendra vers vous|vous recontacterons|vous contacterons)',
      'dans les (?:plus brefs délais|meilleurs délais)|dès que possible|au plus vite|sous \\d+',
      '(?:actuellement|en ce moment|pour le moment)[^.!]{0,30}(?:indisponible|absent|fermé|pas disponible)|absente? (?:du bureau|jusqu)|en congés?(?!\\p{L})',
      "(?:horaires|heures) d['’]ouverture",
      "en cas d['’]urgence|pour toute urgence",
    ],
    offers: [
      'comment (?:pouvons[- ]nous|puis[- ]je) vous aider|en quoi pouvons[- ]nous vous aider',
      'bienvenue (?:chez|sur|dans|à|au) ',
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
      'במקרים? דחופים?|במקרה חירום',
    ],
    offers: ['(?:כיצד|איך|במה) (?:נוכל|אפשר) לעזור', 'ברוכים הבאים (?:ל|אל)'],
  },
  ar: {
    plain: ['رد (?:تلقائي|آلي)', 'رسالة (?:تلقائية|آلية)', 'مساعد افتراضي'],
    hints: [
      'شكر[اًا]* (?:لتواصلك|لتواصلكم|على تواصلك|على تواصلكم|لرسالتك|لمراسلتنا|لاتصالك)',
      '(?:لقد )?(?:تلقينا|استلمنا|تم استلام) (?:رسالتك|رسالتكم|طلبك)',
      '(?:سنرد|سنقوم بالرد|سنتواصل|سيتم الرد|سوف نرد)',
      'في (?:أقرب|اقرب) وقت|قريب[اًا]*|خلال \\d+',
      '(?:ساعات|أوقات|اوقات) (?:العمل|الدوام)|غير متاح|خارج (?:المكتب|أوقات)',
      'في الحالات (?:الطارئة|العاجلة)|للحالات (?:الطارئة|العاجلة)',
    ],
    offers: ['كيف (?:يمكننا|نستطيع) مساعدت', '(?:مرحبا|أهلا|اهلا|مرحبًا|أهلًا)[^.!]{0,12} (?:بكم|بك) في'],
  },
  it: {
    plain: [
      'risposta automatica',
      'messaggio automatico',
      'inviato automaticamente',
      'assistente virtuale',
      'al di fuori dei nostri orari',
    ],
    hints: [
      'grazie per (?:averci contattat|averci scritto|il (?:suo|tuo) messaggio|la (?:sua|tua) (?:richiesta|mail))',
      'abbiamo ricevuto (?:il|la) (?:suo|tuo|sua|tua) (?:messaggio|richiesta)',
      '(?:risponderemo|ricontatteremo|contatteremo|le risponderemo|ti risponderemo)',
      'il prima possibile|al più presto|appena possibile|entro \\d+',
      '(?:al momento|attualmente|ora)[^.!]{0,30}(?:non (?:siamo|sono) (?:disponibil|raggiungibil|in)|chius)|fuori (?:ufficio|sede)',
      'orari(?:o)? di (?:apertura|lavoro|ufficio)',
      'in caso di (?:urgenza|emergenza)|per (?:urgenze|questioni urgenti)',
      'in ferie (?:fino|dal)',
    ],
    offers: [
      'come (?:possiamo|posso) (?:aiutar|esserl[ae] (?:utile|d))|in cosa possiamo aiutar',
      'benvenut[oaie] (?:in|da|su|nel|nella|a) ',
    ],
  },
  pl: {
    plain: [
      'automatyczna (?:odpowiedź|wiadomość)',
      'odpowiedź automatyczna',
      'wiadomość (?:została )?wygenerowana automatycznie',
      'wirtualny asystent',
      '(?:wysłan[ay]|wygenerowan[ay]) automatycznie',
      'poza (?:naszymi )?godzinami (?:pracy|otwarcia)',
    ],
    hints: [
      'dziękujemy za (?:kontakt|wiadomość|zgłoszenie|zapytanie)',
      '(?:otrzymaliśmy|przyjęliśmy) (?:twoją|państwa|twoje) (?:wiadomość|zgłoszenie|zapytanie)',
      '(?:odpowiemy|skontaktujemy się|odezwiemy się|odpiszemy)',
      '(?:jak najszybciej|najszybciej|wkrótce|niebawem|w ciągu \\d+)',
      '(?:obecnie|w tej chwili|teraz|aktualnie)[^.!]{0,30}(?:niedostępn|nieobecn|zamknięt|nie ma)|poza biurem|na urlopie',
      'godzin(?:y|ach) (?:pracy|otwarcia)',
      'w (?:pilnych|nagłych) (?:sprawach|przypadkach)',
    ],
    offers: ['(?:w czym|jak) (?:możemy|mogę) (?:ci |panu |pani |państwu )?pomóc', 'witamy (?:w|na) '],
  },
  tr: {
    plain: ['otomatik (?:yanıt|cevap|mesaj)', 'otomatik olarak gönderil', 'sanal asistan'],
    hints: [
      '(?:bizimle )?iletişime geçtiğiniz için|mesajınız için teşekkür|bize (?:ulaştığınız|yazdığınız) için',
      '(?:mesajınızı|talebinizi) aldık|(?:mesajınız|talebiniz) (?:alındı|bize ulaştı)',
      '(?:dönüş yapacağız|yanıt vereceğiz|cevap vereceğiz|size döneceğiz|iletişime geçeceğiz)',
      'en kısa (?:sürede|zamanda)|kısa süre içinde',
      '(?:şu an|şu anda)[^.!]{0,30}(?:müsait değil|hizmet veremiyoruz|kapalı|ofis dışında)',
      '(?:çalışma|mesai) saat',
      'acil (?:durumlar|konular)',
    ],
    offers: ['nasıl yardımcı olabiliri[zm]', "(?:['’](?:y[ae]|[ae])|bize|mağazamıza) hoş ?geldiniz"],
  },
  nl: {
    plain: [
      'automatische? (?:antwoord|bericht|reactie|reply|e-?mail)',
      'afwezigheids(?:bericht|melding|assistent)',
      'automatisch (?:gegenereerd|verzonden|verstuurd|aangemaakt)',
      'virtuele assistent',
      'buiten onze (?:openings|kantoor|werk)(?:tijden|uren)',
    ],
    hints: [
      '(?:bedankt|dank (?:u|je)(?: wel)?|hartelijk dank|dank) voor (?:uw|je|jouw) (?:bericht|vraag|aanvraag|e-?mail|mail|interesse|contact)|bedankt dat (?:u|je) contact',
      '(?:wij|we) hebben (?:uw|je) (?:bericht|aanvraag|vraag|e-?mail|mail) (?:goed |in goede orde )?ontvangen|(?:uw|je) (?:bericht|aanvraag|vraag|e-?mail) is (?:goed )?(?:ontvangen|binnengekomen)',
      '(?:nemen|neemt)[^.!]{0,40} contact|(?:wij|we) (?:reageren|antwoorden)|(?:reageren|antwoorden) (?:wij|we)|beantwoorden (?:uw|je) |komen[^.!]{0,40} terug',
      'zo (?:snel|spoedig) mogelijk|binnen \\d+|spoedig|binnenkort',
      '(?:momenteel|op dit moment|nu)[^.!]{0,30}(?:niet (?:bereikbaar|beschikbaar|aanwezig|op kantoor)|gesloten|afwezig)|ik ben afwezig|niet op kantoor|(?:met|op) vakantie|met verlof',
      '(?:openings|kantoor|werk)(?:tijden|uren)',
      '(?:voor|in|bij) (?:dringende|spoedeisende) (?:zaken|vragen|gevallen)|(?:bij|voor) spoed',
    ],
    offers: [
      '(?:waarmee|hoe) (?:kunnen (?:we|wij)|kan ik) (?:u|je|jou) (?:van dienst|verder ?helpen|helpen)',
      'welkom bij ',
    ],
  },
  cs: {
    plain: [
      'automatická (?:odpověď|zpráva)|odpověď je automatická',
      'automaticky (?:vygenerovan|generovan|odeslan)',
      'virtuální (?:asistent|pomocník)',
      'mimo (?:naši |naše )?(?:pracovní|provozní|otevírací) (?:dobu|hodiny)',
    ],
    hints: [
      'děkujeme za (?:vaši |váš |vaše )?(?:zprávu|dotaz|e-?mail|zájem|kontakt|poptávku)|děkuji za (?:váš|tvůj) e-?mail|děkujeme,? že jste',
      '(?:obdrželi|přijali) jsme|(?:zprávu|dotaz|poptávku|požadavek) jsme (?:obdrželi|přijali)|(?:zpráva|dotaz|požadavek) (?:byla?|byl) (?:přijat|doručen)',
      'ozveme se|odpovíme|spojíme se|ozve se vám|budeme vás kontaktovat|vám (?:odpovíme|zavoláme)|se vám ozve',
      'co nejdříve|brzy|obratem|v nejbližší (?:době|možné)|(?:do|během) \\d+ (?:hodin|minut|dn)',
      '(?:momentálně|aktuálně|v tuto chvíli|nyní|právě)[^.!]{0,30}(?:nejsme|nemůžeme|nedostupn|zavřen|nepřítom|mimo kancelář)|na dovolené|čerpám dovolenou|mimo kancelář',
      '(?:otevírací|pracovní|provozní) (?:doba|dobu|době|hodiny)',
      '(?:v|ve) (?:naléhavých|urgentních|neodkladných) (?:případech|záležitostech)',
    ],
    offers: ['(?:jak|s čím|čím) (?:vám|ti) (?:můžeme|mohu|můžu) pomo', 'vítejte (?:v|u|na|ve) '],
  },
  ro: {
    plain: [
      '(?:răspuns|mesaj) automat',
      '(?:generat|trimis|transmis) automat',
      'asistentul virtual|asistent virtual',
      'în afara (?:programului|orelor) (?:nostru|noastre|de (?:lucru|program))',
    ],
    hints: [
      'mulțumim (?:că ne-ați (?:contactat|scris)|pentru (?:mesaj|interes|contact|solicitare|cerere))',
      'am (?:primit|recepționat|înregistrat) (?:mesajul|solicitarea|cererea)|(?:mesajul|solicitarea|cererea)[^!]{0,25} a fost (?:primit|recepționat|înregistrat)',
      'vom (?:reveni|răspunde|contacta)|vă vom|vă (?:răspundem|contactăm)|va lua legătura',
      'cât mai (?:curând|repede)|în cel mai scurt timp|în curând|în (?:maximum )?\\d+ (?:de )?(?:ore|minute)',
      '(?:momentan|în acest moment|acum)[^.!]{0,30}(?:nu (?:suntem|sunt|putem)|închis|indisponibil)|(?:în|in) concediu|nu sunt la birou',
      '(?:programul|orarul) (?:nostru|de (?:lucru|funcționare))|program de lucru',
      'pentru (?:urgențe|situații urgente|probleme urgente)|în caz de urgență',
    ],
    offers: [
      'cu ce (?:vă|te) (?:putem|pot) ajuta|cum (?:vă|te) (?:putem|pot) ajuta',
      'bi?n[ee] ați venit (?:la|pe)|bun venit (?:la|pe)',
    ],
  },
};
