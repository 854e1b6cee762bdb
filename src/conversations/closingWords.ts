/**
 * What people write to end a conversation politely, by language (ISO 639-1), and how one asks for an answer without a
 * question mark. Lower case, without punctuation; a closing is one or several of these and nothing else.
 */

/** Each string lists phrases between commas. */
export const CLOSING_PHRASES: Readonly<Record<string, string>> = {
  en:
    'ok, okay, okey, k, kk, okie, oki, ok then, alright, all right, alrighty, fine, sure, got it, got you, gotcha, noted, understood, i see, i understand, makes sense, clear, all clear, ' +
    'thanks, thank you, thx, thnx, tnx, ty, tysm, cheers, thank u, many thanks, thanks a lot, thanks so much, thank you so much, thank you very much, thanks very much, thanks again, thank you again, much appreciated, appreciated, appreciate it, i appreciate it, ' +
    'great, good, very good, nice, cool, perfect, awesome, excellent, wonderful, super, lovely, amazing, brilliant, sounds good, sounds great, very nice, very helpful, you have been very helpful, youve been very helpful, you helped a lot, that is great, thats great, thats all, that is all, thats it, thats fine, ' +
    'bye, goodbye, bye bye, good night, have a nice day, have a good day, have a great day, have a nice evening, have a good evening, have a good one, you too, same to you, take care, see you, see ya, see you tomorrow, see you soon, see you then, see you later, talk soon, talk later, ' +
    'for your help, for the help, for your time, for the info, for the information, for your answer, for the answer, for your reply, for the reply, for the quick reply, for everything, for letting me know, for explaining, for that, for now, will do, no problem, no worries, np, youre welcome, welcome, deal, agreed, and, very, so',
  ru:
    'ок, окей, оке, окк, ok, оки, окич, ага, угу, хорошо, ладно, ладненько, добро, понял, поняла, понятно, ясно, все понятно, всё понятно, все ясно, всё ясно, вас понял, вас поняла, я понял, я поняла, принято, принял, приняла, договорились, ясненько, пон, ясн, ' +
    'спасибо, спс, спасиб, пасиб, пасибо, спасибки, спасибочки, благодарю, благодарю вас, большое спасибо, спасибо большое, огромное спасибо, спасибо огромное, спасибо вам, вам спасибо, спасибо за помощь, спасибо за ответ, спасибо за информацию, за помощь, за ответ, за информацию, за инфо, за разъяснение, за оперативность, за быстрый ответ, за консультацию, за все, за всё, заранее спасибо, спасибо заранее, ещё раз, еще раз, ' +
    'отлично, супер, класс, прекрасно, замечательно, здорово, круто, чудесно, хорошо тогда, идет, идёт, годится, устраивает, ' +
    'до свидания, пока, всего доброго, всего хорошего, хорошего дня, хорошего вечера, доброго дня вам, доброй ночи, спокойной ночи, до связи, до встречи, взаимно, и вам, и вам того же, вам тоже, удачи, не за что, пожалуйста, тогда, очень, большое, и, вам, вас, все, всё, буду иметь в виду, учту, вы очень помогли, вы мне очень помогли, очень помогли, до завтра, до скорого, ждем, будем ждать, буду ждать',
  uk:
    'ок, окей, добре, гаразд, зрозуміло, зрозумів, зрозуміла, ясно, все зрозуміло, домовились, прийнято, ага, угу, ' +
    'дякую, дуже дякую, щиро дякую, дякую вам, спасибі, дяка, дякую за відповідь, дякую за допомогу, за відповідь, за допомогу, за інформацію, за все, ще раз, ' +
    'чудово, супер, клас, відмінно, прекрасно, круто, до побачення, бувайте, гарного дня, хорошого дня, гарного вечора, на добраніч, навзаєм, до завтра, ви дуже допомогли, чекаємо, і вам, вам також, дуже, вам, і, немає за що, тоді',
  kk:
    'жарайды, жақсы, түсінікті, түсіндім, мақұл, болады, келісемін, келістік, ок, окей, ' +
    'рахмет, рақмет, көп рахмет, көп рақмет, үлкен рахмет, сізге рахмет, рахмет сізге, рахмет сізге үлкен, жауабыңызға рахмет, көмегіңізге рахмет, ' +
    'керемет, тамаша, өте жақсы, сау болыңыз, сау бол, күніңіз сәтті өтсін, іске сәт, сізге де, өте, сізге, және, онда',
  de:
    'ok, okay, okey, oki, alles klar, klar, verstanden, verstehe, ich verstehe, gut, sehr gut, in ordnung, passt, das passt, super, prima, perfekt, toll, klasse, wunderbar, schön, top, einverstanden, gerne, ' +
    'danke, dankeschön, danke schön, danke dir, danke ihnen, vielen dank, besten dank, herzlichen dank, tausend dank, danke sehr, danke vielmals, ich danke ihnen, danke für die info, danke für die antwort, für die info, für die antwort, für die hilfe, für ihre hilfe, für die schnelle antwort, für alles, nochmals, ' +
    'tschüss, tschüs, ciao, auf wiedersehen, bis dann, bis bald, bis morgen, sie haben mir sehr geholfen, sehr hilfreich, schönen tag, schönen tag noch, einen schönen tag, einen schönen tag noch, schönen abend, schönes wochenende, gute nacht, ebenso, gleichfalls, ihnen auch, dann, und, na gut, kein problem, bitte, bitte schön',
  es:
    'ok, okey, okay, oki, vale, bien, muy bien, está bien, esta bien, entendido, entiendo, de acuerdo, listo, perfecto, claro, ya veo, dale, genial, excelente, estupendo, súper, super, buenísimo, ' +
    'gracias, muchas gracias, mil gracias, muchísimas gracias, gracias por todo, gracias por la información, gracias por la info, gracias por su ayuda, gracias por tu ayuda, por la información, por su ayuda, por tu ayuda, por responder, por la respuesta, muy amable, te agradezco, se lo agradezco, ' +
    'adiós, adios, hasta luego, hasta pronto, hasta mañana, me ha ayudado mucho, me has ayudado mucho, chao, que tengas buen día, que tenga buen día, buen día, buenas noches, buena tarde, igualmente, a ti, a usted, y, pues, entonces, de nada',
  pt:
    'ok, okay, okey, tá, tá bom, ta bom, tá bem, está bem, está bom, beleza, blz, certo, entendi, entendido, combinado, perfeito, ótimo, otimo, muito bem, legal, show, bacana, excelente, tudo bem, fechado, joia, ' +
    'obrigado, obrigada, muito obrigado, muito obrigada, obg, brigado, brigada, obrigado pela ajuda, obrigada pela ajuda, obrigado pela informação, obrigada pela informação, pela ajuda, pela informação, pela atenção, pelo retorno, pela resposta, valeu, vlw, agradeço, agradecido, agradecida, grato, grata, ' +
    'tchau, até logo, até mais, até breve, até amanhã, ajudou muito, me ajudou muito, bom dia para você, tenha um bom dia, uma boa noite, boa noite, bom fim de semana, igualmente, você também, pra você também, e, então, de nada, por nada, mesmo',
  fr:
    'ok, okay, daccord, dac, dacc, bien, très bien, tres bien, compris, jai compris, entendu, cest noté, noté, parfait, super, génial, genial, top, nickel, ça marche, ca marche, ça va, cest bon, cest parfait, bien reçu, excellent, ' +
    'merci, merci beaucoup, mille mercis, merci bien, merci à vous, merci a vous, merci pour tout, merci pour votre aide, merci pour linfo, merci pour les infos, merci pour votre réponse, pour votre aide, pour linfo, pour les infos, pour votre réponse, je vous remercie, encore merci, encore, ' +
    'au revoir, à bientôt, a bientot, à demain, vous mavez beaucoup aidé, bonne journée, bonne journee, bonne soirée, bonne soiree, bonne nuit, bon weekend, à plus, vous aussi, de même, pareillement, et, alors, de rien, beaucoup',
  he: 'אוקיי, אוקי, או קיי, בסדר, סבבה, הבנתי, מובן, ברור, מעולה, מצוין, יופי, אחלה, נהדר, טוב, תודה, תודה רבה, המון תודה, רב תודות, תודה לך, תודה לכם, תודה על העזרה, תודה על המידע, תודה על התשובה, על העזרה, על המידע, על התשובה, ביי, להתראות, יום טוב, יום נעים, ערב טוב לך, לילה טוב, גם לך, שיהיה יום טוב, רבה, סגור, קיבלתי',
  ar: 'اوك, أوك, أوكي, اوكي, حسنا, حسنًا, تمام, طيب, ماشي, مفهوم, فهمت, واضح, ممتاز, رائع, جيد, جميل, عظيم, شكرا, شكرًا, شكرا لك, شكرًا لك, شكرا لكم, شكرا جزيلا, شكرًا جزيلًا, جزيلا, جزيل الشكر, الف شكر, ألف شكر, مشكور, مشكورين, متشكر, شكرا على المساعدة, شكرا على الرد, على المساعدة, على الرد, على المعلومات, يعطيك العافية, الله يعطيك العافية, بارك الله فيك, جزاك الله خيرا, تسلم, تسلمي, مع السلامة, الى اللقاء, إلى اللقاء, يوم سعيد, طاب يومك, تصبح على خير, وانت كذلك, العفو',
  it:
    'ok, okay, okey, va bene, bene, benissimo, molto bene, capito, ho capito, chiaro, daccordo, perfetto, ottimo, certo, fantastico, grande, eccellente, ricevuto, tutto chiaro, ' +
    'grazie, grazie mille, mille grazie, molte grazie, grazie tante, tante grazie, grazie a lei, grazie a te, grazie di tutto, grazie per laiuto, grazie per le informazioni, grazie per la risposta, per laiuto, per le informazioni, per la risposta, la ringrazio, ti ringrazio, gentilissimo, gentilissima, molto gentile, ' +
    'ciao, arrivederci, a presto, a domani, mi ha aiutato molto, buona giornata, buona serata, buonanotte, buon weekend, altrettanto, anche a lei, anche a te, e, allora, prego, di nuovo, ancora',
  pl:
    'ok, okej, okay, oki, dobrze, dobra, w porządku, w porzadku, rozumiem, zrozumiałem, zrozumiałam, jasne, super, świetnie, swietnie, doskonale, fajnie, ekstra, zgoda, przyjąłem, przyjęłam, spoko, ' +
    'dzięki, dzieki, dziękuję, dziekuje, dziękuje, bardzo dziękuję, dziękuję bardzo, wielkie dzięki, dzięki wielkie, dzięki bardzo, dziękuję za pomoc, dziękuję za odpowiedź, dziękuję za informację, za pomoc, za odpowiedź, za informację, za informacje, za wszystko, jeszcze raz, dzięx, thx, ' +
    'do widzenia, pa, na razie, do jutra, do usłyszenia, miłego dnia, milego dnia, miłego wieczoru, dobranoc, dobrego dnia, nawzajem, wzajemnie, bardzo, i, to, nie ma za co, proszę bardzo',
  tr:
    'tamam, tamamdır, peki, olur, ok, okey, anladım, anlaşıldı, güzel, çok güzel, harika, süper, mükemmel, iyi, çok iyi, elbette, ' +
    'teşekkürler, teşekkür ederim, çok teşekkürler, çok teşekkür ederim, teşekkür ederiz, çok sağ ol, sağ ol, sağol, sağ olun, sağolun, çok sağ olun, eyvallah, teşekkürler efendim, yardımınız için, bilgi için, cevabınız için, ilginiz için, ' +
    'hoşça kalın, hoşçakalın, görüşürüz, yarın görüşürüz, çok yardımcı oldunuz, görüşmek üzere, iyi günler, iyi akşamlar, iyi geceler, kolay gelsin, size de, sana da, rica ederim, çok, o zaman, ve, efendim',
};

/** Words of thanks after which one may call the other by name: `thanks, Vera`. */
export const THANKS: ReadonlySet<string> = new Set(
  'thanks,thank you,thx,спасибо,спасибо вам,спасибо большое,большое спасибо,благодарю,благодарю вас,дякую,дуже дякую,дякую вам,рахмет,danke,vielen dank,gracias,muchas gracias,obrigado,obrigada,merci,grazie,dzięki,dziękuję,teşekkürler,תודה,شكرا'.split(
    ',',
  ),
);

/** Words that decide something, behind thanks too: `thanks, Tomorrow` names nobody. */
export const DECISIONS: readonly string[] = (
  'yes no stop call buy order tomorrow today monday tuesday wednesday thursday friday saturday sunday ' +
  'да нет стоп беру берем куплю купим покупаю покупаем заказываю заказываем оформляю оформляем оформляйте бронирую бронируйте ' +
  'звоните пишите завтра сегодня понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье ' +
  'так ні беремо замовляю купую сьогодні ja nein morgen heute kaufe nehme sí mañana hoy compro sim não amanhã hoje oui non demain ' +
  'achète prends sì domani oggi prendo tak nie jutro dziś kupuję biorę evet hayır yarın bugün alıyorum'
).split(' ');

/** How one asks for an answer without a question mark, as patterns of lower-case words. */
export const ASKS: Readonly<Record<string, readonly string[]>> = {
  en: [
    'let me know',
    'let us know',
    'tell me',
    'please confirm',
    'please choose',
    'which (?:one|option) (?:do|would)',
    'would you (?:like|prefer)',
    'shall (?:i|we)\\b',
  ],
  ru: [
    'дайте знать',
    'подскажите',
    'сообщите',
    'напишите,? (?:пожалуйста|как|какой|какая|какие|сколько|когда|удобно|ваш)',
    'уточните',
    'подтвердите',
    'выберите',
    'расскажите',
    'скажите,',
  ],
  uk: ['дайте знати', 'підкажіть', 'повідомте', 'уточніть', 'підтвердіть', 'оберіть', 'розкажіть'],
  kk: ['айтыңыз', 'жазыңыз', 'хабарлаңыз', 'таңдаңыз', 'растаңыз'],
  de: [
    'sagen sie (?:mir|uns)',
    'geben sie (?:mir|uns) bescheid',
    'gib mir bescheid',
    'teilen sie (?:mir|uns)',
    'bitte bestätigen',
    'möchten sie',
  ],
  es: ['dígame', 'digame', 'dime', 'avíseme', 'avísame', 'cuénteme', 'confirme', 'por favor indique', 'háganos saber'],
  pt: ['me diga', 'diga-me', 'me avise', 'avise-me', 'me conte', 'confirme', 'me informe', 'por favor informe'],
  fr: [
    'dites-moi',
    'dites-nous',
    'dis-moi',
    'faites-moi savoir',
    'tenez-moi au courant',
    'merci de confirmer',
    'veuillez (?:indiquer|confirmer|choisir)',
  ],
  he: ['תגידו לי', 'תגיד לי', 'עדכנו', 'עדכן אותי', 'ספרו לי', 'אשרו'],
  ar: ['أخبرني', 'اخبرني', 'أخبرنا', 'أعلمني', 'أكد', 'اختر', 'يرجى تأكيد'],
  it: ['mi dica', 'dimmi', 'mi faccia sapere', 'fammi sapere', 'ci faccia sapere', 'confermi', 'scelga'],
  pl: [
    'proszę dać znać',
    'daj znać',
    'proszę (?:podać|potwierdzić|wybrać|napisać)',
    'proszę o (?:podanie|potwierdzenie)',
  ],
  tr: ['bana bildirin', 'bize bildirin', 'haber verin', 'söyleyin', 'lütfen (?:onaylayın|seçin|yazın|belirtin)'],
};
