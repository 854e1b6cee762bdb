/** Script of a guide page: its search, and following the colour scheme. The pages are complete without it. */
import './page.css';

interface Entry {
  readonly page: string;
  readonly heading: string;
  readonly url: string;
  readonly text: string;
}

const MAX_RESULTS = 12;
const EXCERPT_CHARS = 60;

const field = document.querySelector<HTMLInputElement>('input[data-index]');
const list = document.querySelector<HTMLUListElement>('ul.found');
let entries: Promise<readonly Entry[]> | null = null;

if (field !== null && list !== null) {
  field.addEventListener('input', () => void showResults(field, list));
  window.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    field.focus();
  });
}

const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', followScheme);
// Another tab of the console may have changed the scheme.
window.addEventListener('storage', followScheme);

/** Follow the chosen colour scheme, by the same rule as the script that sets it before the first paint. */
function followScheme(): void {
  const chosen = localStorage.getItem('rapport-color-scheme');
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
}

async function showResults(input: HTMLInputElement, into: HTMLUListElement): Promise<void> {
  const query = input.value.trim().toLowerCase();
  entries ??= fetch(input.dataset['index'] ?? '').then((answer) => answer.json());
  const all = await entries;
  // The query has changed meanwhile: the later call shows its results.
  if (query !== input.value.trim().toLowerCase()) return;
  const found =
    query === '' ? [] : all.filter((one) => matches(one, query)).sort((a, b) => rank(a, query) - rank(b, query));
  into.hidden = query === '';
  into.replaceChildren(
    ...(found.length === 0 ? [nothing()] : found.slice(0, MAX_RESULTS).map((one) => line(one, query))),
  );
}

function matches(entry: Entry, query: string): boolean {
  const whole = `${entry.heading} ${entry.page} ${entry.text}`.toLowerCase();
  return query.split(/\s+/).every((word) => whole.includes(word));
}

/** Rank matches in headings before matches in the text. */
function rank(entry: Entry, query: string): number {
  return entry.heading.toLowerCase().includes(query) ? 0 : 1;
}

function line({ page, heading, url, text }: Entry, query: string): HTMLLIElement {
  const link = document.createElement('a');
  link.href = url;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  const words = document.createElement('span');
  words.textContent = excerpt(text, query);
  const item = document.createElement('li');
  item.append(link, words);
  return item;
}

function excerpt(text: string, query: string): string {
  const at = text.toLowerCase().indexOf(query.split(/\s+/)[0] ?? '');
  const from = Math.max(0, at - EXCERPT_CHARS);
  const to = Math.max(0, at) + EXCERPT_CHARS;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

function nothing(): HTMLLIElement {
  const item = document.createElement('li');
  item.textContent = 'Nothing found';
  return item;
}
