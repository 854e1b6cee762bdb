/** The title and icon of the browser tab: what is open, and how much waits. */

const ATTENTION_ICON = '/assets/favicon-attention-1.svg';

let title = document.title;
let count = 0;
let ownIcon: string | null = null;

/** Set the title of the browser tab. Every screen must set its own, or the previous one's would stay. */
export function setTitle(name: string): void {
  title = `${name} · Rapport`;
  render();
}

/** Show how many leads need the operator, in the title and by a dot on the icon; 0: nothing. */
export function setTitleCount(next: number): void {
  count = next;
  render();
}

function render(): void {
  document.title = count > 0 ? `(${count}) ${title}` : title;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon === null) return;
  ownIcon ??= icon.href;
  const wanted = count > 0 ? ATTENTION_ICON : ownIcon;
  if (icon.getAttribute('href') !== wanted) icon.href = wanted;
}
