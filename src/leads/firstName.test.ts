import { expect, it } from 'vitest';
import { firstName } from './firstName.ts';

it.each([
  // Western names
  ['Tom Lopez', 'Tom'],
  ['Mrs. Mary Ann Smith', 'Mary'],
  ['Jean-Luc Picard', 'Jean-Luc'],
  ["D'Angelo Russell", "D'Angelo"],
  ['Kevin Martin', 'Kevin'],
  ['Robin', 'Robin'],
  ['José Núñez', 'José'],
  ['Lopez, Tom', 'Tom'],
  ['maria', 'Maria'],
  ['ANNA-MARIA BERG', 'Anna-Maria'],
  ['Anna 🌸', 'Anna'],
  // Russian names, with either name first
  ['Иван Иванов', 'Иван'],
  ['Иванов Иван', 'Иван'],
  ['Иванов Иван Иванович', 'Иван'],
  ['Иван Иванович Иванов', 'Иван'],
  ['Анна Сергеевна', 'Анна'],
  ['ПЕТРОВА МАРИНА', 'Марина'],
  ['Марина Петрова', 'Марина'],
  ['Никитина Полина', 'Полина'],
  ['Лев Толстой', 'Лев'],
  ['Яков', 'Яков'],
  ['Абрамович Роман', 'Роман'],
  ['Шевченко Тарас', 'Тарас'],
  ['Ivanov Ivan', 'Ivan'],
  ['Ivan Ivanov', 'Ivan'],
  ['Petrova Anna Sergeevna', 'Anna'],
  ['Galina', 'Galina'],
  ['г-н Сергей Волков', 'Сергей'],
  ['王小明', '王小明'],
])('takes the first name of %s as %s', (name, first) => {
  expect(firstName(name)).toBe(first);
});

it.each([
  '',
  '   ',
  'Иванов',
  'Ivanova',
  'Петров Сидоров',
  'И. И. Иванов',
  'Иванов И. И.',
  'J. Smith',
  'ООО Ромашка',
  '«Ромашка»',
  'Kitchens Ltd.',
  'Smith & Sons',
  'Салон Анна',
  'anna_87',
  'Anna87',
  '+7 999 000-00-01',
  'anna@example.com',
  'Lead 12',
  'Без имени',
  'Unknown',
  'van der Berg',
  'The whole team of the north office',
  '🌸',
])('finds no first name in %j', (name) => {
  expect(firstName(name)).toBe('');
});
