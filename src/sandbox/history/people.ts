/** Invented people of the demo's history: first and last names that nobody has together. */
import type { Random } from '../random.ts';

const LATIN = {
  first:
    'Ada,Basil,Cora,Dorian,Elsie,Fabian,Gwen,Hector,Iris,Jonas,Kitty,Linus,Maud,Ned,Odette,Percy,Quentin,Rosa,Silas,Tilda,Ursula,Viktor,Wanda,Xaver,Yara,Zeno,Alma,Benno,Celia,Detlef,Enid,Falk,Gerda,Hazel,Ingo,Juno,Karl,Lilo,Mina,Norbert',
  last: 'Applecart,Biscuitfield,Clockmender,Dandelion,Eiderdown,Fernwhistle,Gooseberry,Haselbach,Inkpot,Jamjar,Kornblume,Lanternhill,Marmalade,Nussknacker,Oatmeal,Pfannkuchen,Quiltmaker,Regenschirm,Sugarbowl,Turnipseed,Umbrellastand,Vogelhaus,Wintergarten,Zimtstern,Birdwhistle,Candlewick,Drachensteig,Eierlikoer,Fliederbusch,Honeycomb',
};
const RUSSIAN = {
  first:
    'Алиса,Богдан,Варвара,Глеб,Дарья,Егор,Жанна,Захар,Инна,Кирилл,Лариса,Матвей,Нина,Олег,Полина,Роман,Софья,Тимур,Ульяна,Фёдор',
  last: 'Абажур,Бубенец,Вишняк,Горошко,Дудочка,Ежевика,Жаворонок,Зонтик,Ирис,Калачик,Ландыш,Мухомор,Незабудко,Одуванчик,Пирожок,Ромашко,Сапожок,Тыква,Утюжок,Фонарик,Хрусталик,Черника,Шарманка,Щепка,Яблочко',
};

export interface Person {
  readonly name: string;
  readonly firstName: string;
  readonly isRussian: boolean;
}

/** Return people in a repeatable order, each name once. */
export function createPeople(random: Random): (isRussian: boolean) => Person {
  const shuffled = ({ first, last }: { first: string; last: string }): string[][] => {
    const pairs = first.split(',').flatMap((one) => last.split(',').map((other) => [one, other]));
    return pairs
      .map((pair) => ({ pair, place: random.next() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ pair }) => pair);
  };
  const names = { latin: shuffled(LATIN), russian: shuffled(RUSSIAN) };
  const taken = { latin: 0, russian: 0 };
  return (isRussian) => {
    const script = isRussian ? 'russian' : 'latin';
    const list = names[script];
    const place = taken[script]++;
    const [firstName = '', lastName = ''] = list[place % list.length] ?? [];
    const round = Math.floor(place / list.length);
    return { firstName, name: `${firstName} ${lastName}${round === 0 ? '' : ` ${round + 1}`}`, isRussian };
  };
}
