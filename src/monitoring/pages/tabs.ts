/** The tabs of the System page, by their keys in the URL. */
export const tabs = [
  { key: 'health', label: 'Health' },
  { key: 'messages', label: 'Messages' },
  { key: 'audit', label: 'Audit log' },
  { key: 'operators', label: 'Operators' },
] as const;
export type Tab = (typeof tabs)[number]['key'];

export function tabOf(params: Readonly<Record<string, string>>): Tab {
  return tabs.find(({ key }) => key === params['tab'])?.key ?? 'health';
}
