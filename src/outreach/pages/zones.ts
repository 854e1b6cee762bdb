/** Time zones to choose from. */
import { t } from '../../kit/t.ts';

interface ZoneOption {
  value: string;
  label: string;
}

/** Those that are chosen most. */
function usualZones(): ZoneOption[] {
  return [
    { value: 'Europe/Moscow', label: t('Moscow (GMT+3)') },
    { value: 'Europe/London', label: t('London') },
    { value: 'America/New_York', label: t('New York') },
    { value: 'America/Los_Angeles', label: t('Los Angeles') },
    { value: 'Asia/Tokyo', label: t('Tokyo') },
    { value: 'UTC', label: t('UTC') },
  ];
}

/** What a zone is called: `Moscow (GMT+3)`, `Europe/Riga`. */
export function zoneName(zone: string): string {
  return usualZones().find(({ value }) => value === zone)?.label ?? zone.replaceAll('_', ' ');
}

/** The usual ones, then every other that the browser knows, and the chosen one in any case. */
export function zoneOptions(chosen: string): { group: string; items: ZoneOption[] }[] {
  const usual = usualZones();
  const others = new Set([...Intl.supportedValuesOf('timeZone'), chosen]);
  for (const { value } of usual) others.delete(value);
  return [
    { group: t('Usual'), items: usual },
    { group: t('All time zones'), items: [...others].sort().map((value) => ({ value, label: zoneName(value) })) },
  ];
}
