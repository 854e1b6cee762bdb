/** Names the browser's tab: every screen says its own, or the former one's would stay. */
export function setTitle(title: string): void {
  document.title = `${title} · Rapport`;
}
