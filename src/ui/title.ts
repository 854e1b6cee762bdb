/** Set the title of the browser tab. Every screen must set its own, or the previous one's would stay. */
export function setTitle(title: string): void {
  document.title = `${title} · Rapport`;
}
