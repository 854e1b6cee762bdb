/** What a page of the guide does by itself: its search, and following the colour scheme. Without it the pages are whole. */
import './page.css';

interface Entry {
  readonly page: string;
  readonly heading: string;
  readonly url: string;
  readonly text: string;
}

const MOST_FOUND = 12;
const AROUND = 60;

const field = document.querySelector<HTMLInputElement>('input[data-index]');
const list = document.querySelector<HTMLUListElement>('ul.found');
let entries: Promise<readonly Entry[]> | null = null;

if (field !== null && list !== null) {
  field.addEventListener('input', () => void show(field, list));
  window.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    field.focus();
  });
}

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', followScheme);
// Another tab of the console has chosen.
window.addEventListener('storage', followScheme);

/** As the script that sets it before the first paint. */
function followScheme(): void {
  const chosen = localStorage.getItem('rapport-color-scheme');
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
}

async function show(input: HTMLInputElement, into: HTMLUListElement): Promise<void> {
  const asked = input.value.trim().toLowerCase();
  entries ??= fetch(input.dataset['index'] ?? '').then((answer) => answer.json());
  const all = await entries;
  // Somebody has typed on meanwhile: that call shows what is found.
  if (asked !== input.value.trim().toLowerCase()) return;
  const found =
    asked === '' ? [] : all.filter((one) => holds(one, asked)).sort((a, b) => rank(a, asked) - rank(b, asked));
  into.hidden = asked === '';
  into.replaceChildren(
    ...(found.length === 0 ? [nothing()] : found.slice(0, MOST_FOUND).map((one) => line(one, asked))),
  );
}

function holds(entry: Entry, asked: string): boolean {
  const whole = `${entry.heading} ${entry.page} ${entry.text}`.toLowerCase();
  return asked.split(/\s+/).every((word) => whole.includes(word));
}

/** Headings before words. */
function rank(entry: Entry, asked: string): number {
  return entry.heading.toLowerCase().includes(asked) ? 0 : 1;
}

function line({ page, heading, url, text }: Entry, asked: string): HTMLLIElement {
  const link = document.createElement('a');
  link.href = url;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  const words = document.createElement('span');
  words.textContent = excerpt(text, asked);
  const item = document.createElement('li');
  item.append(link, words);
  return item;
}

function excerpt(text: string, asked: string): string {
  const at = text.toLowerCase().indexOf(asked.split(/\s+/)[0] ?? '');
  const from = Math.max(0, at - AROUND);
  const to = Math.max(0, at) + AROUND;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

function nothing(): HTMLLIElement {
  const item = document.createElement('li');
  item.textContent = 'Nothing found';
  return item;
}
